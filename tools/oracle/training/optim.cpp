// Family optim: trajectories, resumed runs, parameter groups, zero_grad.
#include <functional>

#include "cases/outcome.h"
#include "taper/core/factory.h"
#include "training/described.h"
#include "training/families.h"
#include "training/optim_errors.h"
#include "training/optim_lbfgs.h"
#include "training/optimizers.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

/// Parameters, their gradients at each step, and the resulting values.
struct Problem {
  std::vector<Tensor> params, grads;
  std::vector<std::vector<Tensor>> rows;  ///< per parameter: its value after each step
  std::map<std::size_t, std::vector<std::int64_t>> skip;

  explicit Problem(Case& c) {
    const auto id = c.text("problem");
    Case from(c.file(), c.file().find_case(id));
    for (std::size_t i = 0; i < from.at("shapes").size(); ++i) {
      params.push_back(from.tensor("param" + std::to_string(i)).clone().requires_grad_());
      grads.push_back(from.tensor("grad" + std::to_string(i)));
    }
    rows.resize(params.size());
    note();
  }
  std::vector<Tensor> some(const Json& indices) const {
    std::vector<Tensor> list;
    for (const Json& i : indices) list.push_back(params.at(i.get<std::size_t>()));
    return list;
  }
  void note() {
    for (std::size_t i = 0; i < params.size(); ++i) rows[i].push_back(params[i].detach().clone());
  }
  bool skipped(std::size_t i, std::int64_t t) const {
    const auto found = skip.find(i);
    return found != skip.end() &&
           std::find(found->second.begin(), found->second.end(), t) != found->second.end();
  }
  void run(optim::Optimizer& optimizer, std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      for (std::size_t i = 0; i < params.size(); ++i)
        params[i].set_grad(skipped(i, t) ? Tensor() : grads[i][t].clone());
      optimizer.step();
      note();
    }
  }
  void compare(Case& c) const {
    for (std::size_t i = 0; i < params.size(); ++i) {
      const std::string role = "param" + std::to_string(i);
      const Tensor& expected = c.tensor(role);
      if (expected.size(0) != static_cast<std::int64_t>(rows[i].size()))
        throw MalformedCase(role + " has a different number of steps");
      for (std::size_t t = 0; t < rows[i].size(); ++t)
        c.expect_close(role + " after step " + std::to_string(t), rows[i][t],
                       expected[static_cast<std::int64_t>(t)]);
    }
  }
};

optim::ParamGroup group_of(const Problem& problem, const Json& fields) {
  optim::ParamGroup group(problem.some(fields.at("params")));
  for (auto& [name, value] : options_of(fields))
    if (name != "params") group[name] = value;
  return group;
}

void run_problem(Case& c) {
  const DType dtype = dtype_named(c.text("dtype"));
  const std::int64_t steps = c.integer("steps");
  const Json& shapes = c.at("shapes");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Shape shape(shapes[i].get<std::vector<std::int64_t>>());
    const Tensor& param = c.tensor("param" + std::to_string(i));
    const Tensor& grad = c.tensor("grad" + std::to_string(i));
    bool fits = param.shape() == shape && param.dtype() == dtype && grad.dtype() == dtype;
    shape.insert(0, steps);
    if (!fits || !(grad.shape() == shape)) c.fail("the stored tensors do not match the fields");
  }
}

void run_trajectory(Case& c) {
  Problem problem(c);
  for (const auto& [i, steps] : c.at("skip").items())
    problem.skip[std::stoul(i)] = steps.get<std::vector<std::int64_t>>();
  std::vector<optim::ParamGroup> groups;
  if (c.at("groups").is_null())
    groups.emplace_back(problem.params);
  else
    for (const Json& fields : c.at("groups")) groups.push_back(group_of(problem, fields));
  const auto optimizer =
      make_optimizer(c.text("optimizer"), std::move(groups), options_of(c.at("args")));
  c.expect_text("repr", optimizer->str(), c.text("repr"));
  problem.run(*optimizer, 0, c.integer("steps"));
  problem.compare(c);
  const Json& expected = c.at("group_params");
  for (std::size_t g = 0; g < expected.size(); ++g) {
    const std::vector<Tensor> wanted = problem.some(expected[g]);
    const auto& found = optimizer->param_groups().at(g).params();
    if (!std::equal(wanted.begin(), wanted.end(), found.begin(), found.end(),
                    [](const Tensor& a, const Tensor& b) { return a.is_same(b); }))
      c.fail("group " + std::to_string(g) + " has different parameters");
  }
  expect_described(c, "state_dict", optimizer->state_dict(), c.at("state_dict"), c.tolerance);
}

void run_resume(Case& c) {
  Problem problem(c);
  const auto name = c.text("optimizer");
  const auto first = make_optimizer(name, problem.params, options_of(c.at("args")));
  problem.run(*first, 0, c.integer("at"));
  for (Tensor& p : problem.params) p = p.detach().clone().requires_grad_();
  const auto second = make_optimizer(name, problem.params, options_of(c.at("fresh_args")));
  second->load_state_dict(first->state_dict());
  const Json& rates = c.at("lr_after_load");
  for (std::size_t g = 0; g < rates.size(); ++g)
    c.expect_number("lr after loading", second->param_groups().at(g)["lr"].as_double(),
                    rates[g].get<double>(), {1e-12, 0});
  problem.run(*second, c.integer("at"), c.integer("steps"));
  problem.compare(c);
}

void run_load_state_casts(Case& c) {
  Problem problem(c);
  const auto name = c.text("optimizer");
  const auto first = make_optimizer(name, problem.params, options_of(c.at("args")));
  problem.run(*first, 0, c.integer("steps"));
  const DType dtype = dtype_named(c.text("into_dtype"));
  for (Tensor& p : problem.params) p = p.detach().to(dtype).requires_grad_();
  const auto second = make_optimizer(name, problem.params, {});
  second->load_state_dict(first->state_dict());
  expect_described(c, "state_dict", second->state_dict(), c.at("state_dict"), {1e-6, 1e-9});
}

void run_add_param_group(Case& c) {
  Problem problem(c);
  const auto optimizer =
      make_optimizer(c.text("optimizer"), problem.some(c.at("first")), options_of(c.at("args")));
  problem.run(*optimizer, 0, c.integer("at"));
  optimizer->add_param_group(group_of(problem, c.at("added")));
  problem.run(*optimizer, c.integer("at"), c.integer("steps"));
  problem.compare(c);
  expect_described(c, "state_dict", optimizer->state_dict(), c.at("state_dict"), c.tolerance);
}

Tensor vector_of(const Json& numbers) { return tensor(numbers.get<std::vector<float>>()); }

void run_zero_grad(Case& c) {
  const Tensor p = vector_of(c.at("start")).requires_grad_();
  p.set_grad(vector_of(c.at("grad")));
  const auto optimizer = make_optimizer("SGD", {p}, options_of(c.at("args")));
  const Json &sequence = c.at("sequence"), &values = c.at("values");
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const auto item = sequence[i].get<std::string>();
    if (item == "step")
      optimizer->step();
    else if (item == "zero_grad() -> grad")
      optimizer->zero_grad();
    else if (item == "zero_grad(set_to_none=False) -> grad")
      optimizer->zero_grad(false);
    else
      throw MalformedCase("unknown item '" + item + "' of the sequence");
    const Tensor found = item == "step" ? p.detach() : p.grad();
    if (values[i].is_null() != !found.defined())
      c.fail(item + ": " + (found.defined() ? "unexpected" : "missing") + " gradient");
    else if (found.defined())
      c.expect_close(item, found, vector_of(values[i]));
  }
}

void run_named_parameters(Case& c) {
  if (c.text("model") != "Linear(2, 1)") throw MalformedCase("unknown model " + c.text("model"));
  struct Named {
    std::string name;
    Tensor value;
  };
  const std::vector<Named> named{{"weight", zeros({1, 2}, {.requires_grad = true})},
                                 {"bias", zeros({1}, {.requires_grad = true})}};
  const auto optimizer = make_optimizer(c.text("optimizer"), named, {});
  expect_described(c, "state_dict", optimizer->state_dict(), c.at("state_dict"), {});
}

void run_sparse(Case& c) { throw Unsupported("optim." + std::string(c.text("optimizer"))); }

}  // namespace

void read_tolerance(Case& c) {
  if (const Json* t = c.find("tolerance"))
    c.tolerance = {t->at("rtol").get<double>(), t->at("atol").get<double>()};
}

void run_optim(Case& c) {
  static const std::map<std::string, void (*)(Case&)> kinds = {
      {"problem", run_problem},
      {"trajectory", run_trajectory},
      {"resume", run_resume},
      {"load_state_casts", run_load_state_casts},
      {"add_param_group", run_add_param_group},
      {"zero_grad", run_zero_grad},
      {"named_parameters", run_named_parameters},
      {"errors", run_optim_errors},
      {"sparse", run_sparse},
      {"lbfgs", run_lbfgs}};
  const auto kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw MalformedCase("unknown kind '" + kind + "'");
  if (const Json* name = c.find("optimizer"); name && !has_optimizer(name->get<std::string>()))
    throw Unsupported("optim." + name->get<std::string>());
  read_tolerance(c);
  found->second(c);
}

}  // namespace taper::oracle
