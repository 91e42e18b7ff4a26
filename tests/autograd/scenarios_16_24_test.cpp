// Scenarios 16 to 24: in-place rules, views, versions, modes, detach, requires_grad.
#include "record.h"

namespace taper::scenario {
namespace {

TEST(Scenario16, RejectsInPlaceChangeOfLeaf) {
  Record r(16);
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

TEST(Scenario17, VersionCountsInPlaceChanges) {
  Record r(17);
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

TEST(Scenario18, InPlaceWriteToViewReachesGradientOfBase) {
  Record r(18);
  const Tensor x = leaf({1., 2., 3., 4.});
  const Tensor y = x * 1;
  const Tensor v = y.slice(0, 1, 3);
  v.mul_(10);
  r.show("y", y);
  (y * y).sum().backward();
  r.show("grad", x.grad());
}

TEST(Scenario19, CopyIntoSliceIsRecorded) {
  Record r(19);
  const Tensor x = leaf({1., 2.});
  const Tensor buf = zeros({4});
  buf.slice(0, 1, 3) = x * 5;
  r.show("buf", buf);
  r.show("requires_grad", buf.requires_grad());
  r.show("grad_fn", buf.grad_fn().name());
  (buf * T({1., 2., 3., 4.})).sum().backward();
  r.show("grad", x.grad());
}

TEST(Scenario20, NoGradDisablesRecording) {
  Record r(20);
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

TEST(Scenario21, InferenceModeTensorsCannotBeSaved) {
  Record r(21);
  const Tensor x = leaf({1., 2.});
  Tensor y;
  {
    const taper::InferenceMode guard;
    y = x * 2;
  }
  r.show("requires_grad", y.requires_grad());
  r.show("is_inference", y.is_inference());
  r.error("saved for backward", [&] { (y * x).sum(); });
  r.error("in-place outside", [&] { y.add_(1); });
  r.error("requires_grad_", [&] { y.requires_grad_(); });
  r.show("clone is normal", y.clone().is_inference());
  r.error("version", [&] { y.version(); });
}

// A disabled inference mode enables gradients in any outer mode, as in PyTorch.
TEST(InferenceMode, DisabledModeEnablesGrad) {
  const NoGrad without;
  {
    const taper::InferenceMode outer;
    const taper::InferenceMode inner(false);
    EXPECT_TRUE(is_grad_enabled());
    EXPECT_FALSE(is_inference_mode_enabled());
  }
  EXPECT_FALSE(is_grad_enabled());
}

TEST(Scenario22, DetachSharesMemoryAndCutsGraph) {
  Record r(22);
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 3, d = y.detach();
  r.show("requires_grad", d.requires_grad());
  d[0] = 100.;
  r.show("y sees it", y);
  (y * d).sum().backward();
  r.show("grad", x.grad());
}

TEST(Scenario23, InPlaceChangeThroughDetachedTensorIsDetected) {
  Record r(23);
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 3, z = y * y;
  y.detach().zero_();
  r.error("backward", [&] { z.sum().backward(); }, {"MulBackward0", "version 1", "version 0"});
}

TEST(Scenario24, RequiresGradRejectsNonLeavesAndIntegers) {
  Record r(24);
  const Tensor x = leaf({1.}), y = x * 2;
  r.error("turn off on a non-leaf", [&] { y.set_requires_grad(false); });
  r.error("integer tensor", [] { tensor({1}, {.requires_grad = true}); });
  r.error("integer tensor later", [] { tensor({1}).requires_grad_(); });
  const Tensor z = zeros({2});
  z.requires_grad_();
  r.show("later on a leaf", z.requires_grad());
  r.show("comparison", (x > 0).requires_grad());
  r.show("argmax", x.argmax().requires_grad());
  r.show("is_leaf of a plain result", (T({1.}) * 2).is_leaf());
}

}  // namespace
}  // namespace taper::scenario
