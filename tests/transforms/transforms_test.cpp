// Classes of data::transforms. Values are compared with torchvision's in tests/oracle/kit_test.cpp.
#include "taper/data/transforms/transforms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;
using namespace taper::data::transforms;
using test::error_text;

Tensor sample_image() { return arange(75).mul(3).to(DType::u8).reshape({3, 5, 5}); }

/// Compose of a typical training set.
Compose training_transform() {
  return Compose(
      {RandomResizedCrop({2, 3}), RandomHorizontalFlip(), ColorJitter({.brightness = 0.5})});
}

// The numbers were computed by torchvision 0.29.2.
TEST(Compose, DrawsAsTorchvision) {
  manual_seed(3);
  const Tensor y = training_transform()(sample_image());
  EXPECT_TRUE(y.equal(tensor({{{22, 22, 22}, {39, 39, 39}},
                              {{105, 105, 105}, {121, 121, 121}},
                              {{187, 187, 187}, {203, 203, 203}}},
                             {.dtype = uint8})));
  EXPECT_EQ(rand({1}).item<float>(), 0.887856662273407f);
}

TEST(Compose, DrawsFromTheGivenGenerator) {
  manual_seed(3);
  const Tensor expected = training_transform()(sample_image());
  const auto before = get_rng_state();
  const TransformContext context{.generator = Generator(3)};
  EXPECT_TRUE(training_transform()(sample_image(), context).equal(expected));
  EXPECT_EQ(get_rng_state(), before);
}

TEST(Compose, ReportsDrawnParametersOfInnerTransforms) {
  std::vector<std::string> names;
  const TransformContext context{
      .generator = Generator(3),
      .on_params = [&](const std::string& name, const Value&) { names.push_back(name); }};
  training_transform()(sample_image(), context);
  EXPECT_EQ(names, (std::vector<std::string>{"RandomResizedCrop", "ColorJitter"}));
}

TEST(Transform, RepeatsWithItsParameters) {
  const RandomCrop crop({3, 2});
  const Value params = crop.make_params({sample_image()}, Generator(1));
  const Tensor y = crop.transform(sample_image(), params);
  EXPECT_TRUE(y.equal(crop(sample_image(), {.generator = Generator(1)})));
  EXPECT_TRUE(y.equal(
      functional::crop(sample_image(), params["top"].as_int(), params["left"].as_int(), 3, 2)));
}

TEST(Transform, AppliesTheSameParametersToAllImages) {
  const std::vector<Tensor> results =
      RandomRotation(90).forward({sample_image(), sample_image()}, {.generator = Generator(2)});
  EXPECT_TRUE(results.at(0).equal(results.at(1)));
}

TEST(Transform, RejectsCallsThatReturnSeveralImages) {
  EXPECT_EQ(error_text<ValueError>([] { FiveCrop(2)(sample_image()); }),
            "FiveCrop returns 5 images: call forward");
  const Compose crops({FiveCrop(2), ToDtype(DType::f32, true), Normalize(0.5, 0.5)});
  EXPECT_EQ(crops.forward({sample_image()}).size(), 5u);
}

TEST(Transform, RejectsInvalidParameters) {
  const Tensor x = sample_image();
  const ColorJitter jitter({.hue = 0.1});
  Value params = jitter.make_params({x}, Generator(1));
  params["fn_idx"] = tensor({0, 1, 2, 9}, {.dtype = int64});
  EXPECT_THROW(jitter.transform(x, params), ValueError);
  EXPECT_THROW(RandomCrop(2).transform(x, Value::dict()), KeyError);
  EXPECT_THROW(CutMix().transform(x.unsqueeze(0), Value::dict({{"box", Value::list({1, 2})}})),
               ValueError);
}

TEST(AnyTransform, RejectsNull) {
  EXPECT_THROW(AnyTransform(std::shared_ptr<const Transform>()), ValueError);
  EXPECT_THROW(Compose({}), ValueError);
}

TEST(Lambda, CallsItsFunction) {
  const Compose both({Lambda([](const Tensor& x) { return x + 1; }), RGB()});
  EXPECT_TRUE(both(zeros({1, 2, 2})).equal(ones({3, 2, 2})));
}

TEST(RandomChoice, ChoosesByWeight) {
  const RandomChoice choice({RandomInvert(1), CenterCrop(1)}, {0, 3});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(choice(sample_image()).shape(), Shape({3, 1, 1}));
  EXPECT_THROW(RandomChoice({RandomInvert(1)}, {0}), ValueError);
  EXPECT_THROW(RandomChoice({RandomInvert(1)}, {-1}), ValueError);
  EXPECT_THROW(RandomChoice({RandomInvert(1)}, {1, 1}), ValueError);
}

TEST(RandomTransforms, RejectSizesOutOfRange) {
  const Tensor x = sample_image();
  EXPECT_THROW(RandomCrop({9, 9})(x), ValueError);
  EXPECT_THROW(RandomZoomOut({.side_range = {1, 1e300}, .p = 1})(x), ValueError);
  EXPECT_THROW(ElasticTransform({.sigma = 1e300})(x), ValueError);
  EXPECT_THROW(RandomResizedCrop(2, {.scale = {std::nan(""), 1}})(x), ValueError);
  EXPECT_THROW(RandomResizedCrop(2, {.ratio = {0, 1}}), ValueError);
  EXPECT_THROW(RandomResize(5, 5), ValueError);
  EXPECT_THROW(RandomShortestSize(Shape{}), ValueError);
  EXPECT_THROW(RandomRotation({1, 2, 3}), ValueError);
}

TEST(Policies, ReportEachOperation) {
  std::vector<std::string> ops;
  const TransformContext context{.generator = Generator(0),
                                 .on_params = [&](const std::string& name, const Value& params) {
                                   EXPECT_EQ(name, "RandAugment");
                                   ops.push_back(params["op"].as_string());
                                 }};
  EXPECT_EQ(RandAugment({.num_ops = 4})(sample_image(), context).shape(), Shape({3, 5, 5}));
  EXPECT_EQ(ops.size(), 4u);
}

TEST(Policies, RejectInvalidOptionsAndSeveralImages) {
  EXPECT_THROW(AutoAugment({.policy = "mnist"}), ValueError);
  EXPECT_THROW(RandAugment({.magnitude = 31}), ValueError);
  EXPECT_THROW(TrivialAugmentWide({.num_magnitude_bins = 0}), ValueError);
  EXPECT_THROW(AugMix({.mixture_width = 0}), ValueError);
  EXPECT_THROW(TrivialAugmentWide().forward({sample_image(), sample_image()}), ValueError);
}

// The numbers were computed by torchvision 0.29.2.
TEST(MixUp, MixesWithThePreviousImage) {
  manual_seed(1);
  const auto [images, labels] = MixUp({.num_classes = 2})(
      arange(8).to(DType::f32).reshape({2, 1, 2, 2}), tensor({0, 1}, {.dtype = int64}));
  const Tensor expected = tensor(
      {{0.600306510925293f, 0.39969348907470703f}, {0.39969348907470703f, 0.600306510925293f}});
  EXPECT_TRUE(labels.equal(expected));
  EXPECT_NEAR(images[0][0][0][0].item<double>(), 1.5987739562988281, 1e-6);
}

TEST(MixUp, DrawsNothingForInvalidExamples) {
  const auto before = get_rng_state();
  const Tensor images = zeros({2, 1, 2, 2}), labels = tensor({0, 7}, {.dtype = int64});
  EXPECT_THROW((void)MixUp({.num_classes = 2})(images, labels), Error);
  EXPECT_THROW((void)MixUp()(images, labels), ValueError);
  EXPECT_THROW((void)MixUp({.num_classes = 8})(images.to(DType::u8), labels), DTypeError);
  EXPECT_THROW((void)CutMix({.num_classes = 8})(images[0], labels), ValueError);
  EXPECT_EQ(get_rng_state(), before);
  EXPECT_THROW(CutMix({.alpha = 0}), ValueError);
}

}  // namespace
