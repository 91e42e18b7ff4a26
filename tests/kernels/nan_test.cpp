// NaN with every kind of payload in vector kernels, on every instruction set. Comparisons of
// vectors with NaN differ between instruction sets.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/targets.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/optim/adamax.h"
#include "taper/optim/rprop.h"

namespace {

using namespace taper;

/// Bits of quiet and signaling NaNs of both signs. GPUs produce 0x7fffffff.
constexpr std::uint32_t kNans[] = {0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fff7fff, 0x7fff8000,
                                   0x7fffffff, 0xff800001, 0xffc00000, 0xffff8000, 0xffffffff};
constexpr std::int64_t kSizes[] = {1, 3, 16, 37, 100};

/// Returns a 0-dimensional tensor with the given bits.
Tensor float_of(std::uint32_t bits) {
  return full({}, std::bit_cast<float>(bits), {.dtype = float32});
}
/// Returns the number with the same upper bits whose lower bits are all set.
double double_of(std::uint32_t bits) {
  const std::uint64_t sign = bits >> 31;
  return std::bit_cast<double>(sign << 63 | 0x7ff0000000000000u |
                               (std::uint64_t{bits} & 0x7fffffu) << 29 | 0x1fffffffu);
}

TEST(Nan, IsPreservedByOpsOfNarrowTensorsAndNumbers) {
  using Op = std::function<Tensor(const Tensor& x, const Tensor& nan, double number)>;
  const std::pair<std::string, Op> ops[] = {
      {"add", [](auto& x, auto& nan, double) { return x + nan; }},
      {"mul", [](auto& x, auto& nan, double) { return x * nan; }},
      {"div", [](auto& x, auto& nan, double) { return x / nan; }},
      {"sub number", [](auto& x, auto&, double number) { return x - number; }},
      {"mul number", [](auto& x, auto&, double number) { return x * number; }},
      {"pow", [](auto& x, auto& nan, double) { return (x + x).pow(nan); }},
      {"remainder", [](auto& x, auto& nan, double) { return x.remainder(nan); }},
      {"maximum", [](auto& x, auto& nan, double) { return maximum(x, nan); }},
      {"minimum", [](auto& x, auto& nan, double) { return minimum(x, nan); }},
      {"atan2", [](auto& x, auto& nan, double) { return x.atan2(nan); }},
      {"hypot", [](auto& x, auto& nan, double) { return hypot(x, nan); }},
      {"logaddexp", [](auto& x, auto& nan, double) { return logaddexp(x, nan); }},
      {"clamp_min", [](auto& x, auto&, double number) { return x.clamp_min(number); }},
      {"clamp_max", [](auto& x, auto&, double number) { return x.clamp_max(number); }},
      {"clamp", [](auto& x, auto&, double number) { return x.clamp(number, number); }},
      {"lerp", [](auto& x, auto&, double number) { return lerp(x, x + x, number); }},
      {"add alpha", [](auto& x, auto&, double number) { return x.add(x, number); }},
      {"addcmul", [](auto& x, auto&, double number) { return addcmul(x, x, x, number); }},
      {"fill", [](auto& x, auto&, double number) { return full_like(x, number); }},
      {"masked_fill", [](auto& x, auto&, double number) { return x.masked_fill(x > 0, number); }},
      {"where", [](auto& x, auto& nan, double) { return where(x < 0, x, nan); }},
  };
  test::for_each_target([&] {
    for (const DType dtype : {bfloat16, float16})
      for (const std::uint32_t bits : kNans)
        for (const std::int64_t n : kSizes)
          for (const auto& [name, op] : ops) {
            const Tensor y = op(ones({n}, {.dtype = dtype}), float_of(bits), double_of(bits));
            EXPECT_TRUE(y.isnan().all().item<bool>())
                << name << " of " << n << " elements, bits " << std::hex << bits << ": " << y.str();
          }
  });
}

// maximum and minimum return one of their operands, which a tensor without dimensions may have to
// be rounded to.
TEST(BFloat16, RoundsNumbersThatExtremesReturn) {
  test::for_each_target([] {
    for (const double number : {0.3, 1.0 / 3, -0.3, 1e-3})
      for (const std::int64_t n : kSizes) {
        const Tensor x = full({n}, number < 0 ? -1.0 : 0.0, {.dtype = bfloat16});
        const Tensor expected = full({n}, number, {.dtype = bfloat16});
        EXPECT_TRUE(maximum(x, full({}, number)).equal(expected)) << number << " of " << n;
        EXPECT_TRUE(minimum(x + 2, full({}, number)).equal(expected)) << number << " of " << n;
      }
  });
}

/// Returns a parameter of n zeros whose gradient has the given value.
Tensor parameter_of(std::int64_t n, float gradient) {
  const Tensor p = zeros({n}).set_requires_grad();
  p.set_grad(full({n}, gradient));
  return p;
}

// As in PyTorch, the sign of NaN is 0.
TEST(Nan, DoesNotMoveParametersOfRprop) {
  test::for_each_target([] {
    for (const std::uint32_t bits : kNans)
      for (const std::int64_t n : kSizes) {
        const Tensor p = parameter_of(n, std::bit_cast<float>(bits));
        optim::Rprop o({p}, {.lr = 0.01});
        o.step();
        EXPECT_TRUE(p.detach().equal(zeros({n}))) << std::hex << bits;
        p.set_grad(ones({n}));  // the product with the previous gradient is NaN: the size stays
        o.step();
        EXPECT_TRUE(p.detach().equal(full({n}, -0.01f))) << std::hex << bits;
      }
  });
}

TEST(Nan, RemainsInTheNormOfAdamax) {
  test::for_each_target([] {
    for (const std::uint32_t bits : kNans)
      for (const std::int64_t n : kSizes) {
        const Tensor p = parameter_of(n, std::bit_cast<float>(bits));
        optim::Adamax o({p}, {.betas = {0.0, 0.999}});
        o.step();
        p.set_grad(ones({n}));
        o.step();
        const Value state = o.state_dict()["state"][0]["exp_inf"];
        EXPECT_TRUE(state.as_tensor().isnan().all().item<bool>()) << std::hex << bits;
        EXPECT_TRUE(p.detach().isnan().all().item<bool>()) << std::hex << bits;
      }
  });
}

}  // namespace
