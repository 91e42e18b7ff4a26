// Scenarios 16 to 24: in-place rules, views, versions, modes, detach, requires_grad.
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

void rejects_in_place_change_of_leaf(Record& r) {
  const Tensor x = leaf({1., 2.});
  r.error("leaf", [&] { x.add_(1); });
  r.error("view of a leaf", [&] { x.slice(0, 0, 1).mul_(2); });
  {
    const NoGrad guard;
    x.add_(1);
  }
  r.show("under no_grad", x);
  r.show("version", x.version());
}

void version_counts_in_place_changes(Record& r) {
  const Tensor a = zeros({3});
  Values v{a.version()};
  a.add_(1);
  v.emplace_back(a.version());
  const Tensor b = a.slice(0, 1, {});
  b.mul_(2);
  v.emplace_back(a.version());
  a.detach().fill_(7);
  v.emplace_back(a.version());
  a.data().fill_(9);
  v.emplace_back(a.version());
  const Tensor c = a.clone();
  v.emplace_back(c.version());
  r.show("versions", Value::list(v));
  r.show("values", a);
}

void in_place_write_to_view_reaches_gradient_of_base(Record& r) {
  const Tensor x = leaf({1., 2., 3., 4.});
  const Tensor y = x * 1;
  const Tensor v = y.slice(0, 1, 3);
  v.mul_(10);
  r.show("y", y);
  (y * y).sum().backward();
  r.show("grad", x.grad());
}

void copy_into_slice_is_recorded(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor buf = zeros({4});
  buf.slice(0, 1, 3) = x * 5;
  r.show("buf", buf);
  r.show("requires_grad", buf.requires_grad());
  r.show("grad_fn", buf.grad_fn().name());
  (buf * T({1., 2., 3., 4.})).sum().backward();
  r.show("grad", x.grad());
}

void no_grad_disables_recording(Record& r) {
  const Tensor x = leaf({1.});
  Tensor y, w, z;
  {
    const NoGrad guard;
    y = x * 2;
    w = leaf({1.});
    const EnableGrad inner;
    z = x * 2;
  }
  r.show("y", y.requires_grad());
  r.show("w made inside", w.requires_grad());
  r.show("enable_grad inside", z.requires_grad());
  {
    const GradMode guard(false);
    r.show("is_grad_enabled", is_grad_enabled());
  }
  r.show("restored", is_grad_enabled());
}

void inference_mode_tensors_cannot_be_saved(Record& r) {
  const Tensor x = leaf({1., 2.});
  Tensor y;
  {
    const taper::InferenceMode guard;
    y = x * 2;
  }
  r.show("requires_grad", y.requires_grad());
  r.show("is_inference", y.is_inference());
  r.error("saved for backward", [&] { return (y * x).sum(); });
  r.error("in-place outside", [&] { y.add_(1); });
  r.error("requires_grad_", [&] { y.requires_grad_(); });
  r.show("clone is normal", y.clone().is_inference());
  r.error("version", [&] { return y.version(); });
}

void detach_shares_memory_and_cuts_graph(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 3, d = y.detach();
  r.show("requires_grad", d.requires_grad());
  d[0] = 100.;
  r.show("y sees it", y);
  (y * d).sum().backward();
  r.show("grad", x.grad());
}

void in_place_change_through_detached_tensor_is_detected(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 3, z = y * y;
  y.detach().zero_();
  r.error("backward", [&] { z.sum().backward(); }, {"MulBackward0", "version 1", "version 0"});
}

void requires_grad_rejects_non_leaves_and_integers(Record& r) {
  const Tensor x = leaf({1.}), y = x * 2;
  r.error("turn off on a non-leaf", [&] { y.set_requires_grad(false); });
  r.error("integer tensor", [] { return tensor({1}, {.requires_grad = true}); });
  r.error("integer tensor later", [] { tensor({1}).requires_grad_(); });
  const Tensor z = zeros({2});
  z.requires_grad_();
  r.show("later on a leaf", z.requires_grad());
  r.show("comparison", (x > 0).requires_grad());
  r.show("argmax", x.argmax().requires_grad());
  r.show("is_leaf of a plain result", (T({1.}) * 2).is_leaf());
}

}  // namespace

const std::vector<Scenario>& in_place_scenarios() {
  static const std::vector<Scenario> all = {
      {"16", rejects_in_place_change_of_leaf},
      {"17", version_counts_in_place_changes},
      {"18", in_place_write_to_view_reaches_gradient_of_base},
      {"19", copy_into_slice_is_recorded},
      {"20", no_grad_disables_recording},
      {"21", inference_mode_tensors_cannot_be_saved},
      {"22", detach_shares_memory_and_cuts_graph},
      {"23", in_place_change_through_detached_tensor_is_detected},
      {"24", requires_grad_rejects_non_leaves_and_integers}};
  return all;
}

}  // namespace taper::oracle::scenario
