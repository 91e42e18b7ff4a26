#include <limits>
#include <numeric>
#include <utility>

#include "core/random/elements.h"

namespace taper::random {
namespace {

/// Returns one more than the largest integer that random_() draws for T.
template <class T> constexpr std::uint64_t bound() {
  return static_cast<std::uint64_t>(max_exact_integer<T>()) + 1;
}

/// From this number of elements on, a 32-bit number modulo the remaining elements would be too far
/// from uniform.
constexpr std::int64_t kMin64BitPermutation = std::numeric_limits<std::uint32_t>::max() / 20;

template <class T> void permute(Engine& engine, T* r, std::int64_t n) {
  if (n >= kMin64BitPermutation) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::int64_t>(engine.next64() % static_cast<std::uint64_t>(i + 1));
      r[i] = r[k];
      r[k] = from_integer<T>(i);
    }
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) r[i] = from_integer<T>(i);
  for (std::int64_t i = 0; i + 1 < n; ++i) std::swap(r[i], r[i + engine.next32() % (n - i)]);
}

}  // namespace

void fill_integers(Engine& engine, Target out, std::int64_t low, std::uint64_t width) {
  const bool use_64_bits = width >= std::uint64_t{1} << 28 || width == 0;
  visit_dtype(out.dtype, [&]<class T>(T) {
    auto* data = static_cast<T*>(out.data);
    for (std::int64_t i = 0; i < out.size; ++i) {
      const std::uint64_t draw = use_64_bits ? engine.next64() : engine.next32();
      const std::uint64_t sum =
          static_cast<std::uint64_t>(low) + (width == 0 ? draw : draw % width);
      data[i] = from_integer<T>(static_cast<std::int64_t>(sum));
    }
  });
}

void fill_integers(Engine& engine, Target out) {
  visit_any("random_", out, [&]<class T>(T* data) {
    constexpr bool kLong = sizeof(T) == 8;
    for (std::int64_t i = 0; i < out.size; ++i) {
      const std::uint64_t draw = kLong ? engine.next64() : engine.next32();
      data[i] = from_integer<T>(static_cast<std::int64_t>(draw % bound<T>()));
    }
  });
}

std::int64_t max_exact_integer(DType dtype) {
  return visit_dtype(dtype, []<class T>(T) { return max_exact_integer<T>(); });
}

void fill_permutation(Engine& engine, Target out) {
  visit_any("randperm", out, [&]<class T>(T* data) { permute(engine, data, out.size); });
}

}  // namespace taper::random
