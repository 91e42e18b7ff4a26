// Scenario 37: gradients of functions at their kinks and of ties.
#include "taper/nn/functional.h"
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

template <class G> Tensor gr(G&& f, const NestedList& values) {
  const Tensor t = leaf(values);
  f(t).sum().backward();
  return t.grad();
}

void returns_gradients_at_kinks_and_ties(Record& r) {
  using T1 = const Tensor&;
  r.show("abs", gr([](T1 t) { return t.abs(); }, {-1., 0., 2.}));
  r.show("relu", gr([](T1 t) { return t.relu(); }, {-1., 0., 2.}));
  r.show("clamp(0, 1)", gr([](T1 t) { return t.clamp(0, 1); }, {-1., 0., 0.5, 1., 2.}));
  r.show("max() of ties", gr([](T1 t) { return t.max(); }, {1., 3., 3.}));
  r.show("amax of ties", gr([](T1 t) { return t.amax(); }, {1., 3., 3.}));
  r.show("max(dim) of ties", gr([](T1 t) { return t.max(0).first; }, {1., 3., 3.}));
  r.show("median", gr([](T1 t) { return t.median(); }, {1., 3., 3., 2.}));
  r.show("norm at zero", gr([](T1 t) { return t.norm(); }, {0., 0.}));
  r.show("sqrt at zero", gr([](T1 t) { return t.sqrt(); }, {0., 4.}));
  r.show("prod with a zero", gr([](T1 t) { return t.prod(); }, {2., 0., 3.}));
  r.show("prod with two", gr([](T1 t) { return t.prod(); }, {0., 0., 3.}));
  r.show("maximum of equal", gr([](T1 t) { return maximum(t, T({1., 1.})); }, {1., 2.}));
  r.show("x ** 0 at 0", gr([](T1 t) { return t.pow(0); }, {0., 2.}));
  r.show("hardtanh at the ends", gr([](T1 t) { return F::hardtanh(t); }, {-1., 1., 0.}));
  r.show("round", gr([](T1 t) { return t.round(); }, {1.2}));
  r.show("sign", gr([](T1 t) { return t.sign(); }, {1.2}));
  r.show("leaky_relu at zero", gr([](T1 t) { return F::leaky_relu(t); }, {0.}));
  r.show("elu at zero", gr([](T1 t) { return F::elu(t); }, {0.}));
  r.show("hardswish at -3, 0, 3", gr([](T1 t) { return F::hardswish(t); }, {-3., 0., 3.}));
  r.show("relu6 at 0, 6", gr([](T1 t) { return F::relu6(t); }, {0., 6.}));
  r.show("softshrink at .5", gr([](T1 t) { return F::softshrink(t); }, {0.5, -0.5}));
  r.show("minimum of equal", gr([](T1 t) { return minimum(t, t.detach()); }, {1., 2.}));
  r.show("std of a constant", gr([](T1 t) { return t.std(); }, {2., 2., 2.}));
  r.show("l1_loss at zero",
         gr([](T1 t) { return F::l1_loss(t, t.detach(), {.reduction = "sum"}); }, {1., 2.}));
  r.show(
      "smooth_l1 at beta",
      gr([](T1 t) { return F::smooth_l1_loss(t, zeros({2}), {.reduction = "sum"}); }, {1., -1.}));
}

}  // namespace

const std::vector<Scenario>& kinks_scenarios() {
  static const std::vector<Scenario> all = {{"37", returns_gradients_at_kinks_and_ties}};
  return all;
}

}  // namespace taper::oracle::scenario
