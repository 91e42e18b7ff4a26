#include <cmath>
#include <vector>

#include "core/check.h"
#include "cpu/threads.h"
#include "ops/optimizer/clip_kernel.h"
#include "ops/optimizer/elements.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/indexing.h"
#include "taper/ops/optimizer.h"

namespace taper::ops {
namespace {

/// Returns true if all tensors are row-major in host memory and share one dtype, f32 or f64.
bool are_row_major_floats(std::span<const Tensor> tensors) {
  const DType dtype = tensors[0].dtype();
  if (dtype != DType::f32 && dtype != DType::f64) return false;
  for (const Tensor& t : tensors)
    if (t.dtype() != dtype || !t.device().is_cpu() ||
        (!optimizer::row_major_data(impl(t)) && t.numel() > 0))
      return false;
  return true;
}

/// Returns the sum of the squares of the elements. Large tensors are split into fixed blocks whose
/// sums are added in order, which makes the result independent of the number of threads.
template <class T> double sum_squares(const Tensor& t) {
  const T* const x = reinterpret_cast<const T*>(optimizer::row_major_data(impl(t)));
  const std::int64_t n = t.numel(), blocks = (n + optimizer::kGrain - 1) / optimizer::kGrain;
  if (blocks <= 1) return optimizer::sum_of_squares(x, n);
  std::vector<double> sums(static_cast<std::size_t>(blocks));
  cpu::parallel_for(0, blocks, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t at = b * optimizer::kGrain;
      sums[static_cast<std::size_t>(b)] =
          optimizer::sum_of_squares(x + at, std::min(optimizer::kGrain, n - at));
    }
  });
  double total = 0;
  for (const double s : sums) total += s;
  return total;
}

template <class T> void scale_row_major(const Tensor& t, T factor) {
  T* const x = reinterpret_cast<T*>(optimizer::row_major_data(impl(t)));
  cpu::parallel_for(0, t.numel(), optimizer::kGrain, [&](std::int64_t begin, std::int64_t end) {
    optimizer::scale(x + begin, end - begin, factor);
  });
  optimizer::record_write(impl(t));
}

}  // namespace

Tensor total_norm(std::span<const Tensor> tensors, double p) {
  const NoGrad guard;
  if (tensors.empty()) return full({}, 0.0);
  if (p == 2 && are_row_major_floats(tensors)) {
    const bool is_f64 = tensors[0].dtype() == DType::f64;
    double squares = 0;
    for (const Tensor& t : tensors)
      squares += is_f64 ? sum_squares<double>(t) : sum_squares<float>(t);
    return full({}, std::sqrt(squares), {.dtype = tensors[0].dtype()});
  }
  std::vector<Tensor> norms;
  for (const Tensor& t : tensors) norms.push_back(norm(t, p).to(tensors[0].device()));
  return norm(stack(norms), p);
}

void scale_(std::span<const Tensor> tensors, const Tensor& factor) {
  const NoGrad guard;
  if (tensors.empty()) return;
  if (!are_row_major_floats(tensors)) {
    for (const Tensor& t : tensors) t.mul_(factor.to(t.device()));
    return;
  }
  const double number = factor.item().to_double();
  for (const Tensor& t : tensors)
    if (t.dtype() == DType::f64)
      scale_row_major(t, number);
    else
      scale_row_major(t, static_cast<float>(number));
}

}  // namespace taper::ops
