// CPU kernel of cumsum on row-major tensors.
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "core/element.h"
#include "cpu/threads.h"
#include "ops/kernel/narrow_values.h"
#include "ops/reduce/cumsum.h"
#include "ops/reduce/scan_rows.h"

namespace taper {
namespace {

/// Length of the blocks that threads scan independently of each other. It is constant, so that the
/// sums do not depend on the number of threads.
constexpr std::int64_t kBlock = 1 << 13;
/// Minimum number of blocks per thread: the sums of blocks are computed twice.
constexpr std::int64_t kBlocksPerThread = 128;
constexpr std::int64_t kColumns = 256, kGrain = 1 << 14;

/// Type of sums of elements of type T. As in PyTorch, float32 is summed in double. Sums of integers
/// wrap around.
template <class T> using SumOf = std::conditional_t<is_floating_element<T>, double, std::uint64_t>;

/// True if sums may be regrouped. float64 is not, because its rounding errors would be visible.
template <class T> constexpr bool kRegroups = !std::is_same_v<T, double>;

template <class T> SumOf<T> addend(T x) {
  if constexpr (is_narrow_float<T>)
    return static_cast<float>(x);
  else
    return static_cast<SumOf<T>>(x);
}

template <class To, class Sum> To result(Sum sum) {
  if constexpr (is_floating_element<To>)
    return element_cast<To>(sum);
  else
    return static_cast<To>(sum);
}

/// As scan_block for adjacent 16-bit floats, which are converted in short runs.
template <class T> double scan_narrow_block(const T* x, T* y, std::int64_t n, double carry) {
  const kernel::Conversions convert(dtype_of<T>);
  std::array<float, 1024> values;
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += std::ssize(values)) {
    const std::int64_t size = std::min(std::ssize(values), n - begin);
    convert.read(x + begin, values.data(), size);
    const double sum = reduce::cumsum_row(values.data(), y ? values.data() : nullptr, size, carry);
    if (y) convert.write(y + begin, values.data(), size);
    carry += sum;
    total += sum;
  }
  return total;
}

/// Computes the cumulative sums of n elements, starting at `carry`, and returns the sum of the
/// elements; if y is null, only the latter. Groups of four shorten the chain of dependent additions
/// to one per group.
template <class From, class To>
SumOf<From> scan_block(const From* x, To* y, std::int64_t n, std::int64_t step, SumOf<From> carry) {
  using Sum = SumOf<From>;
  if constexpr (std::is_same_v<From, float> && std::is_same_v<To, float>)
    if (step == 1) return reduce::cumsum_row(x, y, n, carry);
  if constexpr (is_narrow_float<From> && std::is_same_v<From, To>)
    if (step == 1) return scan_narrow_block(x, y, n, carry);
  Sum total{};
  std::int64_t i = 0;
  if constexpr (kRegroups<From>) {
    for (; i + 4 <= n; i += 4, x += 4 * step) {
      const Sum a = addend(x[0]), b = addend(x[step]), c = addend(x[2 * step]),
                d = addend(x[3 * step]);
      const Sum ab = a + b, abcd = ab + (c + d);
      if (y) {
        y[0] = result<To>(carry + a);
        y[step] = result<To>(carry + ab);
        y[2 * step] = result<To>(carry + (ab + c));
        y[3 * step] = result<To>(carry + abcd);
        y += 4 * step;
      }
      carry += abcd;
      total += abcd;
    }
  }
  for (; i < n; ++i, x += step) {
    const Sum a = addend(*x);
    total += a;
    carry += a;
    if (y) *y = result<To>(carry), y += step;
  }
  return total;
}

/// Computes the cumulative sums of a row. `step` is 1, or -1 to begin with the last element.
template <class From, class To>
void scan_row(const From* x, To* y, std::int64_t n, std::int64_t step) {
  using Sum = SumOf<From>;
  if (step < 0) x += n - 1, y += n - 1;
  if (!kRegroups<From>) {
    scan_block(x, y, n, step, Sum{});
    return;
  }
  const std::int64_t blocks = (n + kBlock - 1) / kBlock;
  const auto scan = [&](std::int64_t block, To* to, Sum carry) {
    const std::int64_t begin = block * kBlock;
    return scan_block(x + begin * step, to ? to + begin * step : nullptr,
                      std::min(kBlock, n - begin), step, carry);
  };
  const int chunks = cpu::chunk_count(blocks, kBlocksPerThread);
  if (chunks <= 1) {
    Sum carry{};
    for (std::int64_t block = 0; block < blocks; ++block) carry += scan(block, y, carry);
    return;
  }
  std::vector<Sum> carries(static_cast<std::size_t>(blocks));
  const auto carry_of = [&](std::int64_t block) -> Sum& {
    return carries[static_cast<std::size_t>(block)];
  };
  // x and y may be the same memory: all sums are read before the first write.
  cpu::parallel_chunks(chunks, 0, blocks, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
      carry_of(block) = scan(block, nullptr, Sum{});
  });
  Sum next{};
  for (Sum& carry : carries) {
    const Sum total = carry;
    carry = next;
    next += total;
  }
  cpu::parallel_chunks(chunks, 0, blocks, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) scan(block, y, carry_of(block));
  });
}

/// Computes `count` adjacent cumulative sums of n rows that are `stride` elements apart.
template <class From, class To>
void scan_columns(const From* x, To* y, std::int64_t n, std::int64_t count, std::int64_t stride) {
  std::array<SumOf<From>, kColumns> totals{};
  for (std::int64_t i = 0; i < n; ++i, x += stride, y += stride)
    for (std::int64_t j = 0; j < count; ++j) {
      auto& total = totals[static_cast<std::size_t>(j)];
      y[j] = result<To>(total += addend(x[j]));
    }
}

template <class From, class To> void scan_dim(const CumSum& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const auto d = static_cast<std::size_t>(wrap_dim(o.dim, in.shape->size(), o.op.function()));
  std::int64_t inner = 1;
  for (std::size_t e = d + 1; e < in.shape->size(); ++e) inner *= (*in.shape)[e];
  const std::int64_t n = (*in.shape)[d], each = n * inner, outer = in.numel / each;
  const auto* const x = reinterpret_cast<const From*>(in.data);
  auto* const y = reinterpret_cast<To*>(k.out[0].data);
  if (inner == 1) {
    const auto scan_rows = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        scan_row(x + i * n, y + i * n, n, o.reverse ? -1 : 1);
    };
    // The blocks of fewer long rows than threads are distributed instead of the rows.
    if (outer < cpu::available_threads() && n >= 2 * kBlocksPerThread * kBlock)
      scan_rows(0, outer);
    else
      cpu::parallel_for(0, outer, std::max<std::int64_t>(1, kGrain / n), scan_rows);
    return;
  }
  const std::int64_t strips = (inner + kColumns - 1) / kColumns;
  const std::int64_t work = n * std::min(inner, kColumns);
  cpu::parallel_for(0, outer * strips, std::max<std::int64_t>(1, kGrain / work),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t column = i % strips * kColumns;
                        const std::int64_t first =
                            i / strips * each + column + (o.reverse ? (n - 1) * inner : 0);
                        scan_columns(x + first, y + first, n, std::min(kColumns, inner - column),
                                     o.reverse ? -inner : inner);
                      }
                    });
}

}  // namespace

template <> bool cpu_kernel(const CumSum& o, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  if (in.numel == 0 || in.shape->empty() || !is_contiguous(in) || !is_contiguous(out)) return false;
  if (in.dtype == out.dtype) {
    switch (in.dtype) {
      case DType::f32: scan_dim<float, float>(o, k); return true;
      case DType::f64: scan_dim<double, double>(o, k); return true;
      case DType::f16: scan_dim<Half, Half>(o, k); return true;
      case DType::bf16: scan_dim<BFloat16, BFloat16>(o, k); return true;
      case DType::i64: scan_dim<std::int64_t, std::int64_t>(o, k); return true;
      default: return false;
    }
  }
  if (out.dtype != DType::i64) return false;
  switch (in.dtype) {
    case DType::bool_: scan_dim<bool, std::int64_t>(o, k); return true;
    case DType::u8: scan_dim<std::uint8_t, std::int64_t>(o, k); return true;
    case DType::i32: scan_dim<std::int32_t, std::int64_t>(o, k); return true;
    default: return false;
  }
}

}  // namespace taper
