#include "training/optim_lbfgs.h"

#include "cases/outcome.h"
#include "taper/ops/indexing.h"
#include "taper/ops/linalg.h"
#include "taper/ops/pointwise.h"
#include "taper/ops/reduce.h"
#include "taper/ops/view.h"
#include "training/described.h"
#include "training/optimizers.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

using Objective = std::function<Tensor(const Tensor& x)>;

Objective function_of(Case& c) {
  const std::string name(c.text("function"));
  if (name == "quadratic") {
    const Tensor a = c.tensor("A"), b = c.tensor("b");
    return [=](const Tensor& x) { return x.mul(0.5).dot(a.matmul(x)).sub(b.dot(x)); };
  }
  if (name == "logsumexp") {
    const Tensor a = c.tensor("A");
    return [=](const Tensor& x) { return logsumexp(a.matmul(x), {0}).add(x.mul(0.05).dot(x)); };
  }
  if (name != "rosenbrock") throw MalformedCase("unknown function '" + name + "'");
  return [](const Tensor& x) {
    const std::int64_t n = x.size(0) - 1;
    const Tensor head = x.narrow(0, 0, n), tail = x.narrow(0, 1, n);
    return tail.sub(head.square()).square().mul(100).add(head.mul(-1).add(1).square()).sum();
  };
}

/// Compares dtype and shape of tensors and the length of lists: at the optimum, values are rounding
/// noise.
void expect_form(Case& c, const std::string& what, const Value& actual, const Json& expected) {
  const std::string type = expected.at("t");
  if (type == "list") {
    const Json& items = expected.at("items");
    if (!actual.is_list() || actual.size() != items.size())
      return c.fail(what + ": got " + actual.repr() + ", expected another list");
    for (std::size_t i = 0; i < items.size(); ++i)
      expect_form(c, what + "[" + std::to_string(i) + "]", actual.as_list()[i], items[i]);
  } else if (type == "tensor") {
    const Shape shape(expected.at("shape").get<std::vector<std::int64_t>>());
    if (!actual.is_tensor() || actual.as_tensor().dtype() != dtype_named(expected.at("dtype")) ||
        !(actual.as_tensor().shape() == shape))
      c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
    c.tensor(expected.at("role"));
  } else if (type == "none" ? !actual.is_none() : !(actual.is_int() || actual.is_float())) {
    c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  }
}

const Json& item_of(const Json& dict, const Json& key) {
  for (const Json& item : dict.at("items"))
    if (item.at(0).at("v") == key) return item.at(1);
  throw MalformedCase("no key " + key.dump());
}

void expect_state(Case& c, const Value& found, const Json& expected) {
  expect_described(c, "param_groups", found["param_groups"], item_of(expected, "param_groups"), {});
  const Value state = found["state"][0];
  const Json& wanted = item_of(item_of(expected, "state"), 0);
  if (state.size() != wanted.at("items").size()) c.fail("the state has other keys");
  for (const Json& item : wanted.at("items")) {
    const auto key = item.at(0).at("v").get<std::string>();
    if (const Value* value = state.find(key))
      expect_form(c, "state " + key, *value, item.at(1));
    else
      c.fail("state " + key + " is missing");
  }
}

}  // namespace

void run_lbfgs(Case& c) {
  c.ignore({"formula"});
  const Objective f = function_of(c);
  const Tensor& wanted = c.tensor("x");
  const Tensor x = wanted[0].clone().requires_grad_();
  const auto optimizer = make_optimizer("LBFGS", {x}, options_of(c.at("args")));
  std::int64_t evaluations = 0;
  const auto closure = [&] {
    optimizer->zero_grad();
    const Tensor loss = f(x);
    loss.backward();
    ++evaluations;
    return loss;
  };
  const Json& rows = c.at("rows");
  if (static_cast<std::int64_t>(rows.size()) != c.integer("steps"))
    throw MalformedCase("another number of rows than of steps");
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Tolerance by = t < 3 ? Tolerance{1e-9, 1e-9} : c.tolerance;
    const Tolerance counts{0, t < 3 ? 0.0 : 3.0};
    const std::string after = " of step " + std::to_string(t);
    const std::int64_t before = evaluations;
    const Tensor loss = optimizer->step(closure);
    const Value state = optimizer->state(x);
    c.expect_close("x" + after, x.detach(), wanted[static_cast<std::int64_t>(t) + 1], by);
    c.expect_number("loss" + after, loss.item<double>(), rows[t].at("loss_returned").get<double>(),
                    by);
    c.expect_number("evaluations" + after, static_cast<double>(evaluations - before),
                    rows[t].at("evaluations").get<double>(), counts);
    for (const char* name : {"func_evals", "n_iter"})
      c.expect_number(name + after, static_cast<double>(Value(state[name]).as_int()),
                      rows[t].at(name).get<double>(), counts);
  }
  c.expect_number("final loss", f(x).item<double>(), c.at("final_loss").get<double>(), c.tolerance);
  expect_state(c, optimizer->state_dict(), c.at("state_dict"));
}

}  // namespace taper::oracle
