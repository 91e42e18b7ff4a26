#include <algorithm>
#include <cstring>

#include "cpu/threads.h"
#include "ops/copy/copy_kernel.h"
#include "ops/kernel/element.h"

namespace taper::kernel {
namespace {

template <class To, class From> void convert(std::byte* to, const std::byte* from, std::int64_t n) {
  auto* t = reinterpret_cast<To*>(to);
  auto* f = reinterpret_cast<const From*>(from);
  for (std::int64_t i = 0; i < n; ++i) t[i] = static_cast<To>(f[i]);
}

using Convert = void (*)(std::byte*, const std::byte*, std::int64_t);
Convert find_converter(DType to, DType from) {
  if (to == DType::f32 && from == DType::f64) return convert<float, double>;
  if (to == DType::f64 && from == DType::f32) return convert<double, float>;
  if (to == DType::f32 && from == DType::u8) return convert<float, std::uint8_t>;
  if (to == DType::i64 && from == DType::u8) return convert<std::int64_t, std::uint8_t>;
  if (to == DType::f32 && from == DType::i64) return convert<float, std::int64_t>;
  if (to == DType::f32 && from == DType::bf16)
    return [](std::byte* t, const std::byte* f, std::int64_t n) {
      auto* a = reinterpret_cast<float*>(t);
      auto* b = reinterpret_cast<const BFloat16*>(f);
      for (std::int64_t i = 0; i < n; ++i) a[i] = static_cast<float>(b[i]);
    };
  if (to == DType::bf16 && from == DType::f32)
    return [](std::byte* t, const std::byte* f, std::int64_t n) {
      auto* a = reinterpret_cast<BFloat16*>(t);
      auto* b = reinterpret_cast<const float*>(f);
      for (std::int64_t i = 0; i < n; ++i) a[i] = BFloat16(b[i]);
    };
  return nullptr;
}

struct Dim {
  std::int64_t size, to, from;
};

}  // namespace

bool same_dense_layout(const View& a, const View& b) {
  if (!(*a.shape == *b.shape)) return false;
  for (std::size_t d = 0; d < a.shape->size(); ++d)
    if ((*a.shape)[d] != 1 && (*a.strides)[d] != (*b.strides)[d]) return false;
  return extent_of(a) == a.numel;
}

bool copy_fast(const View& to, const View& from) {
  const Convert convert = to.dtype == from.dtype ? nullptr : find_converter(to.dtype, from.dtype);
  if (to.dtype != from.dtype && !convert) return false;
  const std::int64_t to_size = element_size(to), from_size = element_size(from);
  const auto copy_or_convert = [&](std::byte* t, const std::byte* f, std::int64_t n) {
    if (convert)
      convert(t, f, n);
    else
      std::memcpy(t, f, static_cast<std::size_t>(n * to_size));
  };
  if (to.numel == 0) return true;
  if (same_dense_layout(to, from)) {
    cpu::parallel_for(0, to.numel, 1 << 16, [&](std::int64_t b, std::int64_t e) {
      copy_or_convert(to.data + b * to_size, from.data + b * from_size, e - b);
    });
    return true;
  }
  // Sort dimensions by the strides of the destination and merge contiguous runs.
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < to.shape->size(); ++d)
    if ((*to.shape)[d] != 1) dims.push_back({(*to.shape)[d], (*to.strides)[d], (*from.strides)[d]});
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return a.to > b.to; });
  std::vector<Dim> merged;
  for (const Dim& d : dims) {
    if (!merged.empty() && merged.back().to == d.to * d.size &&
        merged.back().from == d.from * d.size)
      merged.back() = {merged.back().size * d.size, d.to, d.from};
    else
      merged.push_back(d);
  }
  if (merged.empty()) {
    copy_or_convert(to.data, from.data, 1);
    return true;
  }
  const Dim row = merged.back();
  merged.pop_back();
  std::int64_t rows = 1;
  for (const Dim& d : merged) rows *= d.size;
  const bool contiguous_rows = row.to == 1 && row.from == 1;
  cpu::parallel_for(0, rows, std::max<std::int64_t>(1, (1 << 15) / row.size),
                    [&](std::int64_t b, std::int64_t e) {
                      for (std::int64_t r = b; r < e; ++r) {
                        std::int64_t t = 0, f = 0, rest = r;
                        for (std::size_t d = merged.size(); d-- > 0; rest /= merged[d].size) {
                          t += rest % merged[d].size * merged[d].to;
                          f += rest % merged[d].size * merged[d].from;
                        }
                        std::byte* tp = to.data + t * to_size;
                        const std::byte* fp = from.data + f * from_size;
                        if (contiguous_rows) {
                          copy_or_convert(tp, fp, row.size);
                        } else if (!convert && to_size == 4) {
                          for (std::int64_t i = 0; i < row.size; ++i)
                            std::memcpy(tp + i * row.to * 4, fp + i * row.from * 4, 4);
                        } else {
                          for (std::int64_t i = 0; i < row.size; ++i)
                            copy_or_convert(tp + i * row.to * to_size,
                                            fp + i * row.from * from_size, 1);
                        }
                      }
                    });
  return true;
}

}  // namespace taper::kernel
