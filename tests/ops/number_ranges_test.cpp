// Functions reject numbers out of the range of a dtype as PyTorch does
// (scripts/golden/number_ranges.py).
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/dtype_table.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/ops/pad.h"
#include "taper/taper.h"
#include "taper_paths.h"

namespace taper {
namespace {

namespace F = nn::functional;
using Json = nlohmann::json;
using test::contains, test::error_text;

const Json& torch_ranges() {
  static const Json table = [] {
    std::ifstream file(TAPER_TEST_DATA "/number_ranges.json");
    return Json::parse(file);
  }();
  return table;
}

Scalar parse_number(const std::string& text) {
  if (text == "True") return true;
  const bool integer = text.find_first_of(".einf") == std::string::npos;
  return integer ? Scalar(std::stoll(text)) : Scalar(std::stod(text));
}

Tensor mask() { return tensor({true, false, true}); }
Tensor index() { return tensor({0, 2}); }
Slice first_two() { return Slice{0, 2}; }
Tensor no_index() { return index().slice(0, 0, 0); }
Tensor matrix(const Tensor& x) { return x.expand({3, 3}).clone(); }
Tensor column(const Tensor& x) { return x.unsqueeze(1); }
Tensor row(const Tensor& x) { return x.unsqueeze(0); }
Tensor batch(const Tensor& x) { return x.reshape({3, 1, 1}); }
TensorOptions like(const Tensor& x) { return {.dtype = x.dtype()}; }
Tensor largest(const Tensor& x) {
  return x.is_floating_point() ? tensor(std::numeric_limits<double>::infinity())
                               : tensor(std::numeric_limits<std::int64_t>::max());
}

using NumberCall = Tensor (*)(const Tensor& x, const Scalar& v);
#define CALL(...) \
  []([[maybe_unused]] const Tensor& x, const Scalar& v) -> Tensor { return __VA_ARGS__; }
/// Assigns `v` to a part of a copy of x.
#define ASSIGN(part)                               \
  [](const Tensor& x, const Scalar& v) -> Tensor { \
    const Tensor copy = x.clone();                 \
    copy part = v;                                 \
    return copy;                                   \
  }

const std::map<std::string, NumberCall>& number_calls() {
  static const std::map<std::string, NumberCall> calls{
      {"add alpha", CALL(x.add(x, v))},
      {"add number alpha", CALL(x.add(Scalar(1), v))},
      {"add", CALL(x.add(v))},
      {"add_ alpha", CALL(x.clone().add_(x, v))},
      {"addbmm alpha", CALL(addbmm(row(x.slice(0, 0, 1)), batch(x), batch(x), 1, v))},
      {"addbmm beta", CALL(addbmm(row(x.slice(0, 0, 1)), batch(x), batch(x), v))},
      {"addcdiv", CALL(x.addcdiv(x, x, v))},
      {"addcmul", CALL(x.addcmul(x, x, v))},
      {"addmm alpha", CALL(addmm(x, column(x), row(x), 1, v))},
      {"addmm beta", CALL(addmm(x, column(x), row(x), v))},
      {"addmv alpha", CALL(addmv(x, matrix(x), x, 1, v))},
      {"addmv beta", CALL(addmv(x, matrix(x), x, v))},
      {"addr alpha", CALL(addr(x, x, x, 1, v))},
      {"addr beta", CALL(addr(x, x, x, v))},
      {"baddbmm alpha", CALL(baddbmm(batch(x), batch(x), batch(x), 1, v))},
      {"baddbmm beta", CALL(baddbmm(batch(x), batch(x), batch(x), v))},
      {"bitwise_and", CALL(x.bitwise_and(v))},
      {"bucketize", CALL(bucketize(v, x))},
      {"celu", CALL(F::celu(x, v))},
      {"clamp max", CALL(x.clamp({}, v))},
      {"clamp min and max", CALL(x.clamp(v, v))},
      {"clamp min", CALL(x.clamp(v, {}))},
      {"clamp_ min", CALL(x.clone().clamp_(v, {}))},
      {"clamp_max", CALL(x.clamp_max(v))},
      {"clamp_min", CALL(x.clamp_min(v))},
      {"constant_", CALL(nn::init::constant_(x.clone(), v))},
      {"constant_pad_nd", CALL(constant_pad_nd(x, {1, 1}, v))},
      {"constant_pad_nd crop", CALL(constant_pad_nd(x, {-1, 0}, v))},
      {"copysign", CALL(x.copysign(v))},
      {"div", CALL(x.div(v))},
      {"elu", CALL(F::elu(x, v))},
      {"eq", CALL(x.eq(v))},
      {"fill_ empty", CALL(x.slice(0, 0, 0).clone().fill_(v))},
      {"fill_ one", CALL(x.slice(0, 0, 1).clone().fill_(v))},
      {"fill_", CALL(x.clone().fill_(v))},
      {"fill_diagonal_", CALL(matrix(x).fill_diagonal_(v))},
      {"fmod", CALL(x.fmod(v))},
      {"full one", CALL(full({1}, v, like(x)))},
      {"full", CALL(full({2}, v, like(x)))},
      {"full_like", CALL(full_like(x, v))},
      {"ge", CALL(x.ge(v))},
      {"hardshrink", CALL(F::hardshrink(x, v))},
      {"hardtanh max", CALL(F::hardtanh(x, -1, v))},
      {"hardtanh min", CALL(F::hardtanh(x, v, largest(x).item()))},
      {"histc max", CALL(x.histc(3, 0, v))},
      {"index_add", CALL(x.index_add(0, index(), x.slice(0, 0, 2), v))},
      {"index_fill no index", CALL(x.index_fill(0, no_index(), v))},
      {"index_fill", CALL(x.index_fill(0, index(), v))},
      {"leaky_relu", CALL(F::leaky_relu(x, v.to_double()))},
      {"lerp", CALL(x.lerp(x, v))},
      {"linspace end", CALL(linspace(0, v.to_double(), 3, like(x)))},
      {"linspace no steps", CALL(linspace(v.to_double(), v.to_double(), 0, like(x)))},
      {"linspace one step", CALL(linspace(v.to_double(), v.to_double(), 1, like(x)))},
      {"linspace start", CALL(linspace(v.to_double(), 0, 3, like(x)))},
      {"logspace end", CALL(logspace(0, v.to_double(), 3, 10, like(x)))},
      {"logit", CALL(x.logit(v.to_double()))},
      {"lt", CALL(x.lt(v))},
      {"masked_fill none", CALL(x.masked_fill(mask().logical_and(tensor(false)), v))},
      {"masked_fill", CALL(x.masked_fill(mask(), v))},
      {"mul", CALL(x.mul(v))},
      {"nan_to_num", CALL(x.nan_to_num(v.to_double()))},
      {"new_full", CALL(x.new_full({2}, v))},
      {"pad", CALL(F::pad(x, {1, 1}, {.value = v.to_double()}))},
      {"pad_sequence",
       CALL(nn::utils::rnn::pad_sequence({x, x.slice(0, 0, 1)}, {.padding_value = v.to_double()}))},
      {"pow number", CALL(pow(v, x))},
      {"pow", CALL(x.pow(v))},
      {"remainder", CALL(x.remainder(v))},
      {"renorm", CALL(matrix(x).renorm(2, 0, v))},
      {"rrelu", CALL(F::rrelu(x, v.to_double(), v.to_double()))},
      {"rsub alpha", CALL(rsub(x, x, v))},
      {"scatter no index", CALL(x.scatter(0, no_index(), v))},
      {"scatter reduce", CALL(x.scatter(0, index(), v, "add"))},
      {"scatter", CALL(x.scatter(0, index(), v))},
      {"searchsorted", CALL(searchsorted(x, v))},
      {"softplus beta", CALL(F::softplus(x, v))},
      {"softplus threshold", CALL(F::softplus(x, 1, v))},
      {"softshrink", CALL(F::softshrink(x, v))},
      {"sub alpha", CALL(x.sub(x, v))},
      {"tensor", CALL(tensor({v}, like(x)))},
      {"threshold value", CALL(F::threshold(x, 1, v))},
      {"threshold", CALL(F::threshold(x, v, 1))},
      {"where number", CALL(where(mask(), v, x))},
      {"where numbers", CALL(where(mask(), v, v))},
      {"where", CALL(where(mask(), x, v))},
      {"x[0]", ASSIGN([0])},
      {"x[0:2]", ASSIGN([{first_two()}])},
      {"x[index, index]",
       [](const Tensor& x, const Scalar& v) -> Tensor {
         const Tensor copy = matrix(x);
         copy[{index(), index()}] = v;
         return copy;
       }},
      {"x[index]", ASSIGN([index()])},
      {"x[mask]", ASSIGN([mask()])},
      {"xlogy", CALL(x.xlogy(v))},
  };
  return calls;
}

bool is_range_error(const std::string& text) {
  return contains(text, "value cannot be converted to") ||
         contains(text, "outside the representable range");
}

class NumberRanges : public testing::TestWithParam<std::string> {};

TEST_P(NumberRanges, RejectsWhatPyTorchRejects) {
  const NumberCall call = number_calls().at(GetParam());
  const Json& values = torch_ranges().at("values");
  for (const auto& [name, outcomes] : torch_ranges().at("calls").at(GetParam()).items()) {
    const Tensor x = tensor({1, 2, 3}, {.dtype = *find_dtype(&DTypeNames::torch, name)});
    const auto text = outcomes.get<std::string>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = values[i].get<std::string>();
      SCOPED_TRACE(name + ", " + value);
      std::string error;
      bool not_implemented = false;
      try {
        static_cast<void>(call(x, parse_number(value)));
      } catch (const Error& e) {
        error = e.what();
        not_implemented = e.kind() == ErrorKind::not_implemented || e.kind() == ErrorKind::dtype;
      }
      // The dtypes that the ops support are compared in torch_dtypes_test.cpp.
      if (not_implemented) continue;
      EXPECT_TRUE(text[i] == '-' || (text[i] == 'R') == is_range_error(error)) << error;
      EXPECT_TRUE(text[i] != '.' || error.empty()) << error;
    }
  }
}

std::vector<std::string> call_names() {
  std::vector<std::string> names;
  for (const auto& [name, rows] : torch_ranges().at("calls").items()) names.push_back(name);
  return names;
}
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Calls, NumberRanges, testing::ValuesIn(call_names()), test_name);

TEST(NumberArguments, ReportsOpTypeAndNumber) {
  const Tensor x = zeros({3}, {.dtype = uint8});
  EXPECT_EQ(error_text<RuntimeError>([&] { x.fill_(1000); }),
            "fill: value cannot be converted to type uint8_t without overflow: got 1000");
  EXPECT_EQ(
      error_text<RuntimeError>([&] { return x.to(int32).masked_fill(mask(), 5e9); }),
      "masked_fill: value cannot be converted to type int without overflow: got 5000000000.0");
  EXPECT_EQ(error_text<RuntimeError>([&] { return x.to(float16).clamp(1e6); }),
            "clamp: value cannot be converted to type c10::Half without overflow: got 1000000.0");
  EXPECT_EQ(error_text<RuntimeError>([&] { return x.sub(x, 256); }),
            "sub: value cannot be converted to type uint8_t without overflow: got 256");
  EXPECT_EQ(error_text<RuntimeError>([&] { return x.clamp(256); }),
            "clamp: Clamp min value 256 is outside the representable range of Byte");
  EXPECT_EQ(error_text<RuntimeError>([&] { return arange(1e19, {.dtype = int64}); }),
            "arange: value cannot be converted to type int64_t without overflow: got 1e+19");
  EXPECT_TRUE(equal(x, zeros({3}, {.dtype = uint8})));
}

TEST(NumberArguments, ChecksNumbersInTensors) {
  const Tensor x = zeros({3}, {.dtype = uint8});
  EXPECT_THROW(x.masked_fill(mask(), tensor(1000)), RuntimeError);
  EXPECT_THROW(x.index_fill(0, index(), tensor(-256)), RuntimeError);
  EXPECT_EQ(x.masked_fill(mask(), tensor(-1)).str(), "tensor([255,   0, 255], dtype=torch.uint8)");
  EXPECT_EQ(x.clone().fill_(tensor(1000)).str(), "tensor([232, 232, 232], dtype=torch.uint8)");
}

TEST(NumberArguments, WrapsOperands) {
  const Tensor x = zeros({2}, {.dtype = uint8});
  EXPECT_EQ((x + 1000).str(), "tensor([232, 232], dtype=torch.uint8)");
  EXPECT_EQ((x == 256).str(), "tensor([True, True])");
  EXPECT_EQ((ones({1}) * 1e300).str(), "tensor([inf])");
  const Tensor leaf = ones({1}, {.requires_grad = true});
  (leaf * 1e300).sum().backward();
  EXPECT_EQ(leaf.grad().str(), "tensor([inf])");
}

TEST(NumberArguments, NegativePaddingDoesNotWrap) {
  const Tensor x = ones({2}, {.dtype = uint8});
  EXPECT_THROW(F::pad(x, {1, 1}, {.value = -1}), RuntimeError);
  EXPECT_THROW(nn::utils::rnn::pad_sequence({x, x.slice(0, 0, 1)}, {.padding_value = -1}),
               RuntimeError);
  EXPECT_EQ(constant_pad_nd(x, {1, 0}, -1).str(), "tensor([255,   1,   1], dtype=torch.uint8)");
}

TEST(NumberArguments, BoundsWithoutEffectAreNotConverted) {
  const Tensor x = tensor({1, 2, 3}, {.dtype = uint8});
  EXPECT_TRUE(equal(x.clamp(-5, 1000), x));
  EXPECT_TRUE(equal(F::hardtanh(x, -1, 300), x));
  EXPECT_THROW(x.clamp({}, -1), RuntimeError);
}

}  // namespace
}  // namespace taper
