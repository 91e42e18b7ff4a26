#include "ops/reduce/median.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/forms.h"
#include "ops/kernel/slices.h"
#include "ops/reduce/dims.h"

namespace taper {
namespace {

template <class T> bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x);
  else
    return false;
}

/// Returns the median of the `n` elements returned by `get`. `sorted` is a buffer reused between
/// calls.
template <class T, class Get> T find_median(std::int64_t n, std::vector<T>& sorted, Get&& get) {
  sorted.clear();
  for (std::int64_t i = 0; i < n; ++i) {
    const T x = get(i);
    if (is_nan(x)) return x;
    sorted.push_back(x);
  }
  const auto at = sorted.begin() + (n - 1) / 2;
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

}  // namespace

void Median::infer(ShapeInference& i) const {
  reduce::check_has_elements(i, Shape{dim});
  const reduce::Mask mask = reduce::mask_of(Shape{dim}, i.rank(0), op.function());
  const Shape result = reduce::result_shape(i.shape(0), mask, keepdim);
  i.set_output(result, i.dtype(0));
  i.set_output(result, DType::i64);
}
void MedianAll::infer(ShapeInference& i) const {
  if (i.shape(0).numel() == 0 && !is_floating_point(i.dtype(0)))
    i.fail<ValueError>("median of an empty integer tensor is undefined: got shape {}", i.shape(0));
  i.set_output({}, i.dtype(0));
}

void Median::backward(BackwardContext<Median>& b) const {
  b[0] = reduce::scatter_to_indices(b, b.output<1>(), dim, keepdim);
}
void MedianAll::backward(BackwardContext<MedianAll>& b) const {
  const Tensor x = b.input<0>(), value = b.output<0>();
  const Tensor is_median = (x == value).logical_or(x.isnan().logical_and(value.isnan()));
  b[0] = is_median * (b.grad() / is_median.sum());
}

template <> void reference_kernel(const Median& o, const KernelArgs& k) {
  const View& in = k.in[0];
  const Shape& shape = *in.shape;
  Shape value_strides = *k.out[0].strides, index_strides = *k.out[1].strides;
  if (k.out[0].shape->size() < shape.size()) {
    const auto d = static_cast<std::size_t>(wrap_dim(o.dim, shape.size(), "median"));
    value_strides.insert(d, 0), index_strides.insert(d, 0);
  }
  View value = k.out[0], index = k.out[1];
  value.strides = &value_strides, index.strides = &index_strides;
  const std::int64_t n = kernel::slice_length(shape, o.dim);
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    std::vector<T> sorted;
    kernel::for_each_slice<3>(shape, o.dim, {&in, &value, &index}, [&](const auto& slices) {
      const auto get = [&](std::int64_t i) { return slices[0].template get<T>(i); };
      const T m = find_median<T>(n, sorted, get);
      std::int64_t at = 0;
      while (is_nan(m) ? !is_nan(get(at)) : get(at) != m) ++at;
      slices[1].set(0, m);
      slices[2].set(0, at);
    });
  });
}
template <> void reference_kernel(const MedianAll&, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    std::vector<T> all, sorted;
    kernel::walk(*in.shape, std::array<const View*, 1>{&in},
                 [&](const std::array<std::int64_t, 1>& at) {
                   all.push_back(kernel::load<T>(in.data + at[0], in.dtype));
                 });
    const auto n = static_cast<std::int64_t>(all.size());
    const T m = n == 0 ? std::numeric_limits<T>::quiet_NaN()
                       : find_median<T>(n, sorted, [&](std::int64_t i) {
                           return all[static_cast<std::size_t>(i)];
                         });
    kernel::store(out.data, out.dtype, m);
  });
}

TAPER_DEFINE_OP(median, Median);
TAPER_DEFINE_OP(median_all, MedianAll);

Tensor median(const Tensor& x) { return run(MedianAll{}, x); }
std::pair<Tensor, Tensor> median(const Tensor& x, IntArg dim, bool keepdim) {
  return run_pair(Median{dim, keepdim}, x);
}

namespace ops {
Tensor ReduceMethods::median() const { return taper::median(self_of(this)); }
std::pair<Tensor, Tensor> ReduceMethods::median(IntArg dim, bool keepdim) const {
  return taper::median(self_of(this), dim, keepdim);
}
}  // namespace ops

}  // namespace taper
