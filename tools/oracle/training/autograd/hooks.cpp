// Scenarios 10 to 15: hooks, and in-place changes of saved tensors.
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

Value entry(const char* who, const Tensor& g) { return Value::list({who, tolist(g)}); }

void tensor_hooks_run_in_order_replace_and_remove(Record& r) {
  const Tensor x = leaf({1., 2.});
  Values log;
  x.register_hook([&](const Tensor& g) {
    log.push_back(entry("h1", g));
    return Tensor();
  });
  const RemovableHandle h2 = x.register_hook([](const Tensor& g) { return g * 10; });
  x.register_hook([&](const Tensor& g) {
    log.push_back(entry("h3", g));
    return Tensor();
  });
  (x * x).sum().backward();
  r.show("log", Value::list(log));
  r.show("grad", x.grad());
  h2.remove();
  x.set_grad(Tensor());
  log.clear();
  (x * x).sum().backward();
  r.show("log after removing h2", Value::list(log));
  r.show("grad after", x.grad());
}

void hooks_on_intermediate_run_before_retain_grad_stores(Record& r) {
  const Tensor x = leaf({3.});
  const Tensor y = x * 2;
  y.retain_grad();
  y.register_hook([](const Tensor& g) { return g + 1; });
  (y * y).sum().backward();
  r.show("y.grad", y.grad());
  r.show("x.grad", x.grad());
  r.error("hook on a tensor that needs no grad",
          [] { T({1.}).register_hook([](const Tensor& g) { return g; }); });
}

void post_accumulate_grad_hook_runs_once_with_sum(Record& r) {
  const Tensor x = leaf({1., 2.});
  Values seen;
  x.register_post_accumulate_grad_hook([&](const Tensor& t) { seen.push_back(tolist(t.grad())); });
  ((x * x).sum() + x.sum()).backward();
  r.show("runs once with the sum", Value::list(seen));
  r.error("on a non-leaf",
          [&] { (x * 2).register_post_accumulate_grad_hook([](const Tensor&) {}); });
}

void rejects_hook_result_of_wrong_shape(Record& r) {
  const Tensor x = leaf({1., 2.});
  x.register_hook([](const Tensor&) { return T({1., 2., 3.}); });
  r.error("backward", [&] { (x * x).sum().backward(); }, {"[3]", "[2]"});
}

void rejects_in_place_change_of_saved_tensor(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 2;
  const Tensor z = y * y;
  y.add_(1);
  r.error("backward", [&] { z.sum().backward(); }, {"MulBackward0", "version 1", "version 0"});
  const Tensor s = leaf({0.5}).sigmoid();
  s.mul_(2);
  r.error("saved output", [&] { s.sum().backward(); },
          {"SigmoidBackward0", "version 1", "version 0"});
}

void allows_in_place_change_of_unsaved_tensor(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x + 1;
  y.mul_(3);
  r.show("value", y);
  y.sum().backward();
  r.show("grad", x.grad());
}

}  // namespace

const std::vector<Scenario>& hooks_scenarios() {
  static const std::vector<Scenario> all = {
      {"10", tensor_hooks_run_in_order_replace_and_remove},
      {"11", hooks_on_intermediate_run_before_retain_grad_stores},
      {"12", post_accumulate_grad_hook_runs_once_with_sum},
      {"13", rejects_hook_result_of_wrong_shape},
      {"14", rejects_in_place_change_of_saved_tensor},
      {"15", allows_in_place_change_of_unsaved_tensor}};
  return all;
}

}  // namespace taper::oracle::scenario
