// Compares divisions and remainders of integers with those of single numbers, on every instruction
// set.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/targets.h"
#include "ops/pointwise/elements.h"
#include "support/tensors.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"

namespace {

using namespace taper;
using Integer = std::int64_t;

/// Numbers around 0, around the largest integers of double, and the largest of int64.
std::vector<Integer> integers() {
  std::vector<Integer> all;
  for (const Integer center : {Integer{0}, Integer{1000}, Integer{1} << 31, Integer{1} << 53})
    for (Integer i = -3; i <= 3; ++i) all.insert(all.end(), {center + i, -center + i});
  for (const Integer last :
       {std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()})
    all.push_back(last);
  return all;
}

struct Case {
  const char* name;
  Tensor (*op)(const Tensor&, const Tensor&);
  Integer (*of_numbers)(Integer, Integer);
};

TEST(IntegerDivision, EqualsThatOfSingleNumbers) {
  std::vector<Integer> dividends, divisors;
  for (const Integer a : integers())
    for (const Integer b : integers())
      if (b != 0) dividends.push_back(a), divisors.push_back(b);
  const Tensor x = tensor(dividends), y = tensor(divisors);
  const Case cases[] = {
      {"floor", [](const Tensor& a, const Tensor& b) { return a.div(b, "floor"); },
       [](Integer a, Integer b) { return kernel::floor_div(a, b); }},
      {"trunc", [](const Tensor& a, const Tensor& b) { return a.div(b, "trunc"); },
       [](Integer a, Integer b) { return kernel::quotient(a, b); }},
      {"remainder", [](const Tensor& a, const Tensor& b) { return remainder(a, b); },
       [](Integer a, Integer b) { return kernel::remainder(a, b); }},
      {"fmod", [](const Tensor& a, const Tensor& b) { return fmod(a, b); },
       [](Integer a, Integer b) { return kernel::fmod(a, b); }}};
  test::for_each_target([&] {
    for (const Case& c : cases) {
      SCOPED_TRACE(c.name);
      const std::vector<Integer> actual = test::to_vector<Integer>(c.op(x, y));
      for (std::size_t i = 0; i < actual.size(); ++i)
        ASSERT_EQ(actual[i], c.of_numbers(dividends[i], divisors[i]))
            << dividends[i] << " by " << divisors[i];
    }
  });
}

}  // namespace
