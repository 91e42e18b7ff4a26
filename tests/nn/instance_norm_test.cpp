// Instance normalization.
#include <cmath>

#include "nets.h"
#include "support/contains.h"
#include "support/warning_capture.h"
#include "taper/nn/nn.h"
#include "taper/ops/norm.h"

namespace {

using taper::test::contains, taper::test::WarningCapture;

using namespace nets;

Value state_without_metadata(const Value& state) {
  const Value plain = Value::dict();
  for (const auto& [key, v] : state.as_dict()) plain.as_dict().set(key, v);
  return plain;
}

// R8.2-42
TEST(InstanceNorm, PrintsAsPyTorch) {
  EXPECT_EQ(nn::InstanceNorm1d(4).str(),
            "InstanceNorm1d(4, eps=1e-05, momentum=0.1, affine=False, bias=False, "
            "track_running_stats=False)");
  EXPECT_EQ(nn::InstanceNorm2d(4, {.affine = true}).extra_repr(),
            "4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=False");
}

// Compares with batch normalization of single samples, because each channel of each sample is
// normalized separately.
TEST(InstanceNorm, NormalizesEachSampleSeparately) {
  nn::InstanceNorm2d norm(3, {.affine = true, .dtype = float64});
  norm.weight = nn::Parameter(tensor({1.0, 2.0, 3.0}, {.dtype = float64}));
  nn::BatchNorm2d batch(3, {.track_running_stats = false, .dtype = float64});
  batch.weight = norm.weight;
  const Tensor x = randn({2, 3, 4, 5}, {.dtype = float64}), y = norm(x);
  for (std::int64_t n = 0; n < 2; ++n) {
    const Tensor alone = x.select(0, n);
    EXPECT_TRUE(allclose(y.select(0, n), batch(alone.unsqueeze(0)).squeeze(0)));
    EXPECT_TRUE(allclose(norm(alone), y.select(0, n)));
  }
}

TEST(InstanceNorm, TracksMeanOverSamples) {
  nn::InstanceNorm1d norm(2, {.momentum = 0.5, .track_running_stats = true});
  const Tensor x = tensor({{{1.0, 3.0}, {0.0, 0.0}}, {{5.0, 7.0}, {2.0, 2.0}}});
  norm(x);
  EXPECT_TRUE(allclose(*norm.running_mean, tensor({2.0, 0.5})));
  EXPECT_TRUE(allclose(*norm.running_var, tensor({1.5, 0.5})));
  EXPECT_EQ(norm.num_batches_tracked->item<std::int64_t>(), 0);  // not counted, as in PyTorch
  norm.eval();
  EXPECT_TRUE(allclose(norm(x).select(0, 0).select(0, 0),
                       (tensor({1.0, 3.0}) - 2.0) / std::sqrt(1.5 + 1e-5)));
  EXPECT_TRUE(allclose(*norm.running_mean, tensor({2.0, 0.5})));
}

// As in PyTorch, in training and in evaluation.
TEST(GroupNorm, RejectsGroupsOfOneElement) {
  nn::GroupNorm layer(3, 3);
  for (const bool training : {true, false}) {
    layer.train(training);
    EXPECT_EQ(test::error_message<ValueError>([&] {
                return layer(ones({1, 3}));
              }),
              "group_norm: Expected more than 1 value per channel when training, got input size "
              "[1, 3]");
  }
  EXPECT_EQ(test::error_message<ValueError>([] {
              return nn::functional::group_norm(ones({1, 2, 1}), 2);
            }),
            "group_norm: Expected more than 1 value per channel when training, got input size "
            "[1, 2, 1]");
  EXPECT_TRUE(nn::functional::group_norm(ones({2, 3}), 3).equal(zeros({2, 3})));
  EXPECT_EQ(nn::functional::group_norm(ones({1, 4}), 2).shape(), Shape({1, 4}));
  EXPECT_EQ(nn::functional::group_norm(ones({0, 4}), 4).shape(), Shape({0, 4}));
  EXPECT_TRUE(taper::group_norm(ones({1, 3}), 3).equal(zeros({1, 3})));  // torch.group_norm
}

TEST(InstanceNorm, RejectsInvalidInputs) {
  nn::InstanceNorm2d norm(3, {.affine = true});
  EXPECT_EQ(error_message<ValueError>([&] {
              norm(ones({2, 3}));
            }),
            "expected 3D or 4D input (got 2D input)");
  EXPECT_EQ(error_message<ValueError>([&] {
              norm(ones({1, 4, 2, 2}));
            }),
            "expected input's size at dim=1 to match num_features (3), but got: 4.");
  EXPECT_EQ(error_message<ValueError>([&] {
              norm(ones({4, 2, 2}));
            }),
            "expected input's size at dim=0 to match num_features (3), but got: 4.");
  EXPECT_EQ(error_message<ValueError>([&] {
              norm(ones({2, 3, 1, 1}));
            }),
            "Expected more than 1 spatial element when training, got input size torch.Size([2, 3, "
            "1, 1])");
  EXPECT_EQ(error_text<RuntimeError>([] {
              F::instance_norm(ones({1, 2, 3}), {.use_input_stats = false});
            }),
            "Expected running_mean and running_var to be defined when use_input_stats is false");
  const WarningCapture warnings;
  nn::InstanceNorm1d plain(3);
  EXPECT_EQ(plain(ones({2, 4, 5})).shape(), Shape({2, 4, 5}));
  EXPECT_EQ(warnings.last(),
            "input's size at dim=1 does not match num_features. You can silence this warning by "
            "not passing in num_features, which is not used because affine=False");
}

// R5.4-02
TEST(InstanceNorm, RejectsStatisticsOfUnversionedStateDicts) {
  nn::InstanceNorm1d tracked(2, {.track_running_stats = true}), norm(2);
  const Value versioned = tracked.state_dict();
  const std::string reasons =
      " If state_dict is a checkpoint saved before 0.4.0, this may be expected because "
      "InstanceNorm1d does not track running stats by default since 0.4.0. Please remove these "
      "keys from state_dict. If the running stats are actually needed, instead set "
      "track_running_stats=True in InstanceNorm1d to enable them. See the documentation of "
      "InstanceNorm1d for details.";
  const Value plain = state_without_metadata(versioned);
  plain.as_dict().erase("num_batches_tracked");
  EXPECT_EQ(error_text<RuntimeError>([&] { norm.load_state_dict(plain); }),
            "Error(s) in loading state_dict for InstanceNorm1d:\n\tUnexpected running stats "
            "buffer(s) \"running_mean\" and \"running_var\" for InstanceNorm1d with "
            "track_running_stats=False." +
                reasons);
  EXPECT_EQ(error_text<RuntimeError>([&] { norm.load_state_dict(versioned); }),
            "Error(s) in loading state_dict for InstanceNorm1d:\n\tUnexpected key(s) in "
            "state_dict: \"running_mean\", \"running_var\", \"num_batches_tracked\". ");
  // R5.4-01: num_batches_tracked can be absent in a state dict without a version.
  EXPECT_TRUE(tracked.load_state_dict(plain).empty());
  nn::Sequential net{nn::InstanceNorm1d{2}};
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] {
                         net.load_state_dict(Value::dict({{"0.running_mean", zeros({2})}}));
                       }),
                       "buffer(s) \"0.running_mean\" for InstanceNorm1d"));
}

TEST(InstanceNorm, LazyLayerInfersChannels) {
  nn::LazyInstanceNorm1d norm;
  EXPECT_EQ(norm.str(),
            "LazyInstanceNorm1d(0, eps=1e-05, momentum=0.1, affine=True, bias=True, "
            "track_running_stats=True)");
  norm(randn({3, 7}));  // an input without a batch dimension
  EXPECT_EQ(norm.str(),
            "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, "
            "track_running_stats=True)");
  nn::LazyInstanceNorm2d norm2({.track_running_stats = false});
  norm2(randn({1, 2, 3, 3}));
  EXPECT_EQ(norm2.weight->shape(), Shape({2}));
  nn::LazyInstanceNorm3d norm3;
  norm3(randn({1, 2, 3, 3, 1}));
  EXPECT_EQ(norm3.running_var->shape(), Shape({2}));
}

}  // namespace
