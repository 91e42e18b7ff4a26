#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/threads.h"
#include "ops/loss/nll_loss.h"
#include "ops/loss/reduction.h"

namespace taper {
namespace {

/// Operands of a kernel: scores [n, classes, inner] in any layout that three strides describe, and
/// row-major targets and weights. `weight` may be null.
template <class T> struct Batch {
  std::int64_t n = 1, classes = 1, inner = 1;
  std::int64_t n_step = 0, class_step = 1, inner_step = 1;
  const std::int64_t* target = nullptr;
  const T* weight = nullptr;
  IntArg ignore_index = -100;
  std::string_view op;

  std::int64_t count() const { return n * inner; }
  /// Returns the offset of the score of sample i, or -1 if the sample is ignored.
  std::int64_t score_offset(std::int64_t i) const {
    const std::int64_t c = target[i];
    if (c == ignore_index) return -1;
    if (c < 0 || c >= classes) [[unlikely]]
      fail<IndexError>("{}: Target {} is out of bounds: expected a class in [0, {})", op, c,
                       classes);
    return inner == 1 ? i * n_step + c * class_step
                      : i / inner * n_step + c * class_step + i % inner * inner_step;
  }
  T weight_of(std::int64_t i) const { return weight ? weight[target[i]] : T{1}; }
};

template <class T>
bool init_batch(Batch<T>& b, const View& scores, const View& target, const View* weight) {
  if (target.dtype != DType::i64 || !is_contiguous(target)) return false;
  if (weight && (weight->dtype != scores.dtype || !is_contiguous(*weight))) return false;
  const Shape &shape = *scores.shape, &strides = *scores.strides;
  const std::size_t rank = shape.size();
  b.target = reinterpret_cast<const std::int64_t*>(target.data);
  if (weight) b.weight = reinterpret_cast<const T*>(weight->data);
  if (rank == 1) {
    b.classes = shape[0], b.class_step = strides[0];
    return true;
  }
  b.n = shape[0], b.n_step = strides[0];
  b.classes = shape[1], b.class_step = strides[1];
  if (rank > 2) {
    // The dimensions after C must be mergeable into one.
    b.inner_step = strides[rank - 1];
    for (std::size_t d = rank; d-- > 2; b.inner *= shape[d])
      if (shape[d] != 1 && strides[d] != b.inner * b.inner_step) return false;
  }
  return true;
}

/// Samples are summed in blocks of fixed size, which makes the result independent of the number of
/// threads.
constexpr std::int64_t kTargetBlock = 4096;

template <class T, bool Plane> bool forward(const NllLoss<Plane>& o, const KernelArgs& k) {
  Batch<T> b;
  b.ignore_index = o.ignore_index, b.op = o.op.function();
  if (k.out[0].dtype != k.in[0].dtype ||
      !init_batch(b, k.in[0], k.in[1], k.has(2) ? &k.in[2] : nullptr))
    return false;
  const auto r = reduction_of(o.reduction, o.op.function());
  const T* x = reinterpret_cast<const T*>(k.in[0].data);
  T* out = reinterpret_cast<T*>(k.out[0].data);
  const auto sum = [&](std::int64_t begin, std::int64_t end, double& weight) {
    double total = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = b.score_offset(i);
      if (at < 0) continue;
      const T w = b.weight_of(i);
      total -= static_cast<double>(w) * static_cast<double>(x[at]);
      weight += static_cast<double>(w);
    }
    return total;
  };
  double total = 0, weight = 0;
  if (r == Reduction::None) {
    if (!is_contiguous(k.out[0])) return false;
    cpu::parallel_for(0, b.count(), kTargetBlock, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = b.score_offset(i);
        out[i] = at < 0 ? T{0} : -b.weight_of(i) * x[at];
      }
    });
  } else if (b.count() <= kTargetBlock) {
    total = sum(0, b.count(), weight);
  } else {
    const std::int64_t blocks = (b.count() + kTargetBlock - 1) / kTargetBlock;
    std::vector<double> partial_sums(static_cast<std::size_t>(2 * blocks));
    cpu::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(2 * i);
        partial_sums[at] = sum(i * kTargetBlock, std::min(b.count(), (i + 1) * kTargetBlock),
                               partial_sums[at + 1]);
      }
    });
    for (std::size_t i = 0; i < partial_sums.size(); i += 2)
      total += partial_sums[i], weight += partial_sums[i + 1];
  }
  if (r != Reduction::None) *out = static_cast<T>(r == Reduction::Mean ? total / weight : total);
  *reinterpret_cast<T*>(k.out[1].data) = static_cast<T>(weight);
  return true;
}

template <class T, bool Plane> bool adjoint(const NllLossBackward<Plane>& o, const KernelArgs& k) {
  Batch<T> b;
  b.ignore_index = o.ignore_index, b.op = o.op.function();
  const View &grad = k.in[0], &to = k.out[0];
  const auto r = reduction_of(o.reduction, o.op.function());
  if (grad.dtype != to.dtype || k.in[3].dtype != to.dtype || !is_contiguous(to) ||
      (r == Reduction::None && !is_contiguous(grad)) ||
      !init_batch(b, to, k.in[1], k.has(2) ? &k.in[2] : nullptr))
    return false;
  const T* g = reinterpret_cast<const T*>(grad.data);
  T* out = reinterpret_cast<T*>(to.data);
  T scale = -1;
  if (r == Reduction::Mean) scale /= *reinterpret_cast<const T*>(k.in[3].data);
  if (r != Reduction::None) scale *= *g;
  std::memset(out, 0, static_cast<std::size_t>(to.numel) * sizeof(T));
  cpu::parallel_for(0, b.count(), kTargetBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (const std::int64_t at = b.score_offset(i); at >= 0)
        out[at] = (r == Reduction::None ? scale * g[i] : scale) * b.weight_of(i);
  });
  return true;
}

template <bool Plane> bool run_forward(const NllLoss<Plane>& o, const KernelArgs& k) {
  if (k.in[0].dtype == DType::f32) return forward<float>(o, k);
  return k.in[0].dtype == DType::f64 && forward<double>(o, k);
}
template <bool Plane> bool run_adjoint(const NllLossBackward<Plane>& o, const KernelArgs& k) {
  if (k.out[0].dtype == DType::f32) return adjoint<float>(o, k);
  return k.out[0].dtype == DType::f64 && adjoint<double>(o, k);
}

}  // namespace

template <> bool cpu_kernel(const NllLoss<false>& o, const KernelArgs& k) {
  return run_forward(o, k);
}
template <> bool cpu_kernel(const NllLoss<true>& o, const KernelArgs& k) {
  return run_forward(o, k);
}
template <> bool cpu_kernel(const NllLossBackward<false>& o, const KernelArgs& k) {
  return run_adjoint(o, k);
}
template <> bool cpu_kernel(const NllLossBackward<true>& o, const KernelArgs& k) {
  return run_adjoint(o, k);
}

}  // namespace taper
