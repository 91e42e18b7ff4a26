// amp::GradScaler: the course of the scale, skipped steps, states and calls in the wrong order.
#include "taper/optim/grad_scaler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/optim/sgd.h"

namespace taper {
namespace {

using test::error_text;

struct ScaledRun {
  Tensor w = ones({2}, {.requires_grad = true});
  optim::SGD sgd{{w}, {.lr = 1}};
  amp::GradScaler scaler{{.init_scale = 8, .growth_interval = 2}};

  void step(double gradient) {
    sgd.zero_grad();
    scaler.scale((w * gradient).sum()).backward();
    scaler.step(sgd);
    scaler.update();
  }
};

TEST(GradScaler, SkipsStepsWithInfAndLowersScale) {
  ScaledRun run;
  run.step(INFINITY);
  EXPECT_TRUE(equal(run.w, ones({2})));
  EXPECT_EQ(run.scaler.get_scale(), 4);
  run.step(0.5);
  EXPECT_TRUE(equal(run.w, full({2}, 0.5)));
  EXPECT_EQ(run.scaler.growth_tracker(), 1);
  run.step(0.5);
  EXPECT_EQ(run.scaler.get_scale(), 8);
}

TEST(GradScaler, RejectsCallsInWrongOrder) {
  ScaledRun run;
  EXPECT_NE(error_text<RuntimeError>([&] { run.scaler.step(run.sgd); }), "");
  EXPECT_NE(error_text<RuntimeError>([&] { run.scaler.update(); }), "");
  run.scaler.scale(run.w.sum()).backward();
  run.scaler.unscale_(run.sgd);
  EXPECT_NE(error_text<RuntimeError>([&] { run.scaler.unscale_(run.sgd); }), "");
  EXPECT_TRUE(equal(run.w.grad(), ones({2})));
  run.scaler.step(run.sgd);
  EXPECT_NE(error_text<RuntimeError>([&] { run.scaler.step(run.sgd); }), "");
  EXPECT_TRUE(equal(run.w, zeros({2})));
  run.scaler.update();
  run.scaler.scale(run.w.sum()).backward();
  run.sgd.zero_grad();
  EXPECT_NE(error_text<RuntimeError>([&] { run.scaler.step(run.sgd); }), "");
}

TEST(GradScaler, RejectsGradientsInFloat16WithoutChange) {
  const Tensor w = ones({2}, {.dtype = float16}).requires_grad_();
  optim::SGD sgd({w}, {.lr = 1});
  amp::GradScaler scaler;
  scaler.scale(zeros({}));
  w.set_grad(ones({2}, {.dtype = float16}));
  EXPECT_NE(error_text<ValueError>([&] { scaler.unscale_(sgd); }), "");
  EXPECT_TRUE(equal(w.grad(), ones({2}, {.dtype = float16})));
}

TEST(GradScaler, LoadsStateOrLeavesItUnchanged) {
  ScaledRun run;
  run.step(0.5);
  amp::GradScaler other;
  other.load_state_dict(run.scaler.state_dict());
  EXPECT_EQ(other.state_dict(), run.scaler.state_dict());
  const Value before = other.state_dict();
  EXPECT_NE(error_text([&] { other.load_state_dict(Value::dict()); }), "");
  EXPECT_NE(error_text([&] { other.load_state_dict(Value::dict({{"scale", 2.0}})); }), "");
  EXPECT_EQ(other.state_dict(), before);
}

TEST(GradScaler, RejectsOptionsAndScales) {
  EXPECT_NE(error_text<ValueError>([] { amp::GradScaler({.growth_factor = 1}); }), "");
  EXPECT_NE(error_text<ValueError>([] { amp::GradScaler({.backoff_factor = 1}); }), "");
  amp::GradScaler scaler;
  scaler.scale(zeros({}));
  EXPECT_NE(error_text<ValueError>([&] { scaler.update(ones({2})); }), "");
  EXPECT_EQ(scaler.get_scale(), 65536);
}

TEST(GradScaler, DoesNothingIfDisabled) {
  const Tensor w = ones({2}, {.requires_grad = true});
  optim::SGD sgd({w}, {.lr = 1});
  amp::GradScaler scaler({.enabled = false});
  scaler.scale(w.sum()).backward();
  scaler.step(sgd);
  scaler.update();
  EXPECT_TRUE(equal(w, zeros({2})));
  EXPECT_EQ(scaler.get_scale(), 1);
  EXPECT_EQ(scaler.state_dict().size(), 0u);
}

}  // namespace
}  // namespace taper
