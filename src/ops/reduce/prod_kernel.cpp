// CPU kernel of prod_others on row-major tensors. Products are computed in double.
#include <algorithm>
#include <vector>

#include "cpu/threads.h"
#include "ops/reduce/prod.h"

namespace taper {
namespace {

/// Elements of a row are divided into blocks of this length. Adjacent blocks are multiplied side by
/// side, since each multiplication waits for the one before it in the block.
constexpr std::int64_t kProductBlock = 512, kSideBySide = 8;
constexpr std::int64_t kProductGrain = 1 << 13;

/// Computes the product of each of `Count` adjacent blocks.
template <std::int64_t Count, class T> void multiply_blocks(const T* x, double* products) {
  double product[Count];
  std::fill_n(product, Count, 1.0);
  for (std::int64_t i = 0; i < kProductBlock; ++i)
    for (std::int64_t b = 0; b < Count; ++b)
      product[b] *= static_cast<double>(x[b * kProductBlock + i]);
  std::copy_n(product, Count, products);
}

/// Computes the products of the other elements of the row for `Count` adjacent blocks, from the
/// products of all elements before and after each block.
template <std::int64_t Count, class T>
void multiply_others(const T* x, T* y, const double* before, const double* after) {
  double preceding[kProductBlock][Count], product[Count];
  std::copy_n(before, Count, product);
  for (std::int64_t i = 0; i < kProductBlock; ++i) {
    std::copy_n(product, Count, preceding[i]);
    for (std::int64_t b = 0; b < Count; ++b)
      product[b] *= static_cast<double>(x[b * kProductBlock + i]);
  }
  std::copy_n(after, Count, product);
  for (std::int64_t i = kProductBlock; i-- > 0;)
    for (std::int64_t b = 0; b < Count; ++b) {
      const double value = static_cast<double>(x[b * kProductBlock + i]);
      y[b * kProductBlock + i] = static_cast<T>(preceding[i][b] * product[b]);
      product[b] *= value;
    }
}

/// Computes `count` adjacent slices of n elements that are `step` apart. The first factor of each
/// slice is `before`, the last one `after`.
template <class T> void multiply_columns(const T* x, T* y, std::int64_t n, std::int64_t count,
                                         std::int64_t step, double before, double after,
                                         std::vector<double>& preceding) {
  const auto size = static_cast<std::size_t>((n + 1) * count);
  if (preceding.size() < size) preceding.resize(size);
  double* product = preceding.data();
  std::fill_n(product, count, before);
  for (std::int64_t i = 0; i < n; ++i, product += count)
    for (std::int64_t j = 0; j < count; ++j)
      product[count + j] = product[j] * static_cast<double>(x[i * step + j]);
  std::fill_n(product, count, after);  // now the products of the following elements
  for (std::int64_t i = n; i-- > 0;)
    for (std::int64_t j = 0; j < count; ++j) {
      const double value = static_cast<double>(x[i * step + j]);
      y[i * step + j] =
          static_cast<T>(preceding[static_cast<std::size_t>(i * count + j)] * product[j]);
      product[j] *= value;
    }
}

template <class T> void multiply_others_of_row(const T* x, T* y, std::int64_t n) {
  const std::int64_t blocks = n / kProductBlock, whole = blocks * kProductBlock;
  // Products of all elements before and after each block; the last ones are those of the rest.
  std::vector<double> before(static_cast<std::size_t>(blocks) + 1, 1.0), after = before;
  const auto in_groups = [&](const auto& one, const auto& several) {
    constexpr std::int64_t kGroup = kProductBlock * kSideBySide;
    cpu::parallel_for(0, blocks / kSideBySide, std::max<std::int64_t>(1, kProductGrain / kGroup),
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t g = begin; g < end; ++g) several(g * kSideBySide);
                      });
    for (std::int64_t b = blocks / kSideBySide * kSideBySide; b < blocks; ++b) one(b);
  };
  double* const products = before.data() + 1;
  in_groups(
      [&](std::int64_t b) { multiply_blocks<1>(x + b * kProductBlock, products + b); },
      [&](std::int64_t b) { multiply_blocks<kSideBySide>(x + b * kProductBlock, products + b); });
  double following = 1;
  for (std::int64_t i = whole; i < n; ++i) following *= static_cast<double>(x[i]);
  for (std::int64_t b = blocks; b-- > 0;) {
    after[static_cast<std::size_t>(b)] = following;
    following *= products[b];
  }
  for (std::int64_t b = 0; b < blocks; ++b) products[b] *= before[static_cast<std::size_t>(b)];
  in_groups(
      [&](std::int64_t b) {
        multiply_others<1>(x + b * kProductBlock, y + b * kProductBlock,
                           &before[static_cast<std::size_t>(b)],
                           &after[static_cast<std::size_t>(b)]);
      },
      [&](std::int64_t b) {
        multiply_others<kSideBySide>(x + b * kProductBlock, y + b * kProductBlock,
                                     &before[static_cast<std::size_t>(b)],
                                     &after[static_cast<std::size_t>(b)]);
      });
  std::vector<double> preceding;
  multiply_columns(x + whole, y + whole, n - whole, 1, 1, before.back(), 1.0, preceding);
}

template <class T> void multiply_slices(const ProdOthers& o, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, shape.size(), o.op.function()));
  std::int64_t inner = 1;
  for (std::size_t e = d + 1; e < shape.size(); ++e) inner *= shape[e];
  const std::int64_t n = shape[d], outer = k.in[0].numel / (n * inner);
  const auto* const x = reinterpret_cast<const T*>(k.in[0].data);
  auto* const y = reinterpret_cast<T*>(k.out[0].data);
  if (inner == 1 && n >= kProductBlock) {
    cpu::parallel_for(0, outer, outer < cpu::available_threads() ? outer : 1,
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i)
                          multiply_others_of_row(x + i * n, y + i * n, n);
                      });
    return;
  }
  // Strips of columns whose products fit into the cache.
  constexpr std::int64_t kScratch = 1 << 14;
  const std::int64_t width = std::clamp<std::int64_t>(kScratch / n, 1, inner);
  const std::int64_t strips = (inner + width - 1) / width;
  cpu::parallel_for(0, outer * strips, std::max<std::int64_t>(1, kProductGrain / (n * width)),
                    [&](std::int64_t begin, std::int64_t end) {
                      std::vector<double> preceding;
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t column = i % strips * width;
                        const std::int64_t first = i / strips * n * inner + column;
                        multiply_columns(x + first, y + first, n, std::min(width, inner - column),
                                         inner, 1.0, 1.0, preceding);
                      }
                    });
}

}  // namespace

template <> bool cpu_kernel(const ProdOthers& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  if (in.numel == 0 || in.shape->empty() || !is_contiguous(in) || !is_contiguous(out)) return false;
  if (in.dtype == DType::f32)
    multiply_slices<float>(o, k);
  else if (in.dtype == DType::f64)
    multiply_slices<double>(o, k);
  else
    return false;
  return true;
}

}  // namespace taper
