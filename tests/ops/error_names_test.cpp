// Names at the beginning of error messages: those of the functions that users call.
#include <gtest/gtest.h>

#include <string>

#include "core/named_call.h"
#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/nn/functional.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
namespace F = nn::functional;

/// Returns the part of the error of f() before the first colon.
template <class F> std::string name_in_error(F&& f) {
  const std::string text = test::error_text([&] { static_cast<void>(f()); });
  return text.substr(0, text.find(':'));
}

struct Operands {
  Tensor x = ones({2, 3}), mask = ones({2, 3}).to(bool_), other = ones({4}), empty = ones({0});
  Tensor image = ones({1, 2, 4, 4}), logical_image = ones({1, 2, 4, 4}).to(bool_);
};

TEST(ErrorNames, OfOpsWithSeveralForms) {
  const Operands o;
  EXPECT_EQ(name_in_error([&] { return o.x.clamp(o.other, {}); }), "clamp");
  EXPECT_EQ(name_in_error([&] { return o.x.clamp_min(o.other); }), "clamp_min");
  EXPECT_EQ(name_in_error([&] { return o.x.pow(o.other); }), "pow");
  EXPECT_EQ(name_in_error([&] { return o.x.div(o.other, "floor"); }), "div");
  EXPECT_EQ(name_in_error([&] { return o.x.lerp(o.x, o.other); }), "lerp");
  EXPECT_EQ(name_in_error([&] { return o.x.masked_fill(o.mask, o.other); }), "masked_fill");
  EXPECT_EQ(name_in_error([&] { return o.x.scatter(0, o.x, 1); }), "scatter");
  EXPECT_EQ(name_in_error([&] { return o.mask.round(2); }), "round");
  EXPECT_EQ(name_in_error([&] { return o.empty.max(); }), "max");
  EXPECT_EQ(name_in_error([&] { return o.mask.mean(); }), "mean");
  EXPECT_EQ(name_in_error([&] { return o.mask.median(); }), "median");
  EXPECT_EQ(name_in_error([&] { return o.mask.clone().uniform_(); }), "uniform_");
  EXPECT_EQ(name_in_error([&] { return o.mask.clone().geometric_(0.5); }), "geometric_");
  EXPECT_EQ(name_in_error([] { return linalg::inv(ones({2, 3})); }), "linalg.inv");
}

TEST(ErrorNames, OfFunctionals) {
  const Operands o;
  EXPECT_EQ(name_in_error([&] { return F::binary_cross_entropy_with_logits(o.x, o.mask); }),
            "binary_cross_entropy_with_logits");
  EXPECT_EQ(name_in_error([&] { return F::nll_loss(o.image, o.x); }), "nll_loss");
  EXPECT_EQ(name_in_error([&] { return F::batch_norm(o.x, o.other, o.other); }), "batch_norm");
  EXPECT_EQ(name_in_error([&] { return F::layer_norm(o.x, {4}); }), "layer_norm");
  EXPECT_EQ(name_in_error([&] { return F::group_norm(o.x, 2); }), "group_norm");
  EXPECT_EQ(name_in_error([&] { return F::unfold(o.x.to(int64), 2); }), "unfold");
  EXPECT_EQ(name_in_error([&] { return F::fold(o.x, {4, 4}, 2); }), "fold");
  EXPECT_EQ(name_in_error([&] { return F::prelu(o.mask, o.other); }), "prelu");
  EXPECT_EQ(name_in_error([&] { return F::rrelu(o.mask); }), "rrelu");
  EXPECT_EQ(name_in_error([&] { return F::embedding(tensor({9}), o.x, {.max_norm = 1}); }),
            "embedding");
}

TEST(ErrorNames, OfFunctionsComposedOfOthers) {
  const Operands o;
  EXPECT_EQ(name_in_error([&] { return F::linear(o.x, o.other); }), "linear");
  EXPECT_EQ(name_in_error([&] { return matmul(o.x, o.x); }), "matmul");
  EXPECT_EQ(name_in_error([&] { return F::cross_entropy(o.x, tensor({0, 5})); }), "cross_entropy");
  EXPECT_EQ(name_in_error([&] { return F::l1_loss(o.x, o.mask); }), "l1_loss");
  EXPECT_EQ(name_in_error([&] { return F::soft_margin_loss(o.x, o.other); }), "soft_margin_loss");
  EXPECT_EQ(name_in_error([&] { return F::instance_norm(o.image, {.weight = o.other}); }),
            "instance_norm");
  EXPECT_EQ(name_in_error([&] { return F::max_pool1d(o.logical_image[0], 2); }), "max_pool1d");
  EXPECT_EQ(name_in_error([&] { return F::max_pool3d(o.logical_image, 2); }), "max_pool3d");
  EXPECT_EQ(name_in_error([&] { return F::adaptive_avg_pool1d(o.logical_image[0], 2); }),
            "adaptive_avg_pool1d");
  EXPECT_EQ(name_in_error([&] { return F::softsign(o.mask); }), "softsign");
  EXPECT_EQ(name_in_error([&] { return F::normalize(o.mask); }), "normalize");
  EXPECT_EQ(name_in_error([&] { return F::gumbel_softmax(o.mask); }), "gumbel_softmax");
  EXPECT_EQ(name_in_error([&] { return isclose(o.x, o.other); }), "isclose");
  EXPECT_EQ(name_in_error([&] { return nanmedian(o.mask); }), "nanmedian");
  EXPECT_EQ(name_in_error([&] { return linalg::vecdot(o.x, o.other); }), "linalg.vecdot");
  EXPECT_EQ(name_in_error([&] { return F::logsigmoid(o.mask); }), "logsigmoid");
}

TEST(NamedCall, ReplacesNamesOfFunctionsOnly) {
  const auto text_of = [](const std::string& thrown) {
    return test::error_text<ShapeError>(
        [&] { named_call("outer", [&]() -> int { throw ShapeError(thrown); }); });
  };
  EXPECT_EQ(text_of("inner: got 1, expected 2"), "outer: got 1, expected 2");
  EXPECT_EQ(text_of("linalg.inv_: got 1"), "outer: got 1");
  EXPECT_EQ(text_of("Expected a matrix: got 1"), "Expected a matrix: got 1");
  EXPECT_EQ(text_of("no prefix"), "no prefix");
  EXPECT_EQ(named_call("outer", [] { return 3; }), 3);
}

}  // namespace
