#include "ops/reduce/sum.h"

#include <algorithm>

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"
#include "taper/core/tensor.h"

namespace taper {

template <bool All> void SumOf<All>::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  const DType default_result_dtype = is_floating_point(i.dtype(0)) ? i.dtype(0) : DType::i64;
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim),
               dtype.value_or(default_result_dtype));
}

template <bool All> void SumOf<All>::backward(BackwardContext<SumOf>& b) const {
  const Shape& shape = b.input_meta(0).shape;
  b[0] = reduce::restore_dims(b.grad(), shape, dim, keepdim, op.function()).expand(shape);
}

template <bool All> void MeanOf<All>::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  const DType to = dtype.value_or(i.dtype(0));
  if (!is_floating_point(to))
    i.fail<DTypeError>(
        "could not infer output dtype. Input dtype must be either a floating point or complex "
        "dtype. Got: {}",
        to);
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), to);
}

template <bool All> void MeanOf<All>::backward(BackwardContext<MeanOf>& b) const {
  const Shape& shape = b.input_meta(0).shape;
  const std::int64_t n =
      reduce::reduced_numel(shape, reduce::mask_of(dim, shape.size(), op.function()));
  // The maximum avoids inf * 0 in the gradient of an empty mean.
  const double scale = 1.0 / static_cast<double>(std::max<std::int64_t>(n, 1));
  b[0] = reduce::restore_dims(b.grad() * scale, shape, dim, keepdim, op.function()).expand(shape);
}

namespace {

/// Computes the sum, or with `mean` the mean, over `dim` in the compute type of the result.
void sum_reference(const std::optional<Shape>& dim, const KernelArgs& k, bool mean) {
  const View &in = k.in[0], &out = k.out[0];
  const reduce::Mask mask = reduce::mask_of(dim, in.shape->size(), "sum");
  const auto n = static_cast<double>(mean ? reduce::reduced_numel(*in.shape, mask) : 1);
  // A sum to bool tests for nonzero elements: it must not truncate to integers first.
  const DType compute = out.dtype == DType::bool_ ? in.dtype : out.dtype;
  kernel::in_compute_type(compute, [&]<class T>(T) {
    const auto totals =
        reduce::fold_reference<T>(in, mask, T{}, [](T& t, T x) { t = kernel::plus(t, x); });
    reduce::store_results(out, [&](std::size_t i) {
      if constexpr (std::is_same_v<T, double>)
        return mean ? totals[i] / n : totals[i];
      else
        return totals[i];
    });
  });
}

bool sum_fast(const std::optional<Shape>& dim, const KernelArgs& k, bool mean) {
  const View &in = k.in[0], &out = k.out[0];
  const reduce::Mask mask = reduce::mask_of(dim, in.shape->size(), "sum");
  if (!is_floating_point(in.dtype))
    return !is_floating_point(out.dtype) && out.dtype != DType::bool_ &&
           reduce::store_fold(reduce::Fold::sum, k, mask);
  // A wider result dtype requests accumulation in that dtype.
  if (!is_floating_point(out.dtype) || (out.dtype == DType::f64 && in.dtype != DType::f64))
    return false;
  const auto n = static_cast<double>(mean ? reduce::reduced_numel(*in.shape, mask) : 1);
  return reduce::store_fold(reduce::Fold::sum, k, mask,
                            [n](auto total) { return static_cast<double>(total) / n; });
}

}  // namespace

template <> void reference_kernel(const Sum& o, const KernelArgs& k) {
  sum_reference(o.dim, k, false);
}
template <> void reference_kernel(const SumAll& o, const KernelArgs& k) {
  sum_reference(o.dim, k, false);
}
template <> void reference_kernel(const Mean& o, const KernelArgs& k) {
  sum_reference(o.dim, k, true);
}
template <> void reference_kernel(const MeanAll& o, const KernelArgs& k) {
  sum_reference(o.dim, k, true);
}
template <> bool cpu_kernel(const Sum& o, const KernelArgs& k) { return sum_fast(o.dim, k, false); }
template <> bool cpu_kernel(const SumAll& o, const KernelArgs& k) {
  return sum_fast(o.dim, k, false);
}
template <> bool cpu_kernel(const Mean& o, const KernelArgs& k) { return sum_fast(o.dim, k, true); }
template <> bool cpu_kernel(const MeanAll& o, const KernelArgs& k) {
  return sum_fast(o.dim, k, true);
}

TAPER_DEFINE_OP(sum, Sum);
TAPER_DEFINE_OP(sum_all, SumAll);
TAPER_DEFINE_OP(mean, Mean);
TAPER_DEFINE_OP(mean_all, MeanAll);

Tensor sum(const Tensor& x) { return run(SumAll{}, x); }
Tensor sum(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  return run(Sum{dims, keepdim, dtype}, x);
}
Tensor mean(const Tensor& x) { return run(MeanAll{}, x); }
Tensor mean(const Tensor& x, const Dims& dims, bool keepdim, std::optional<DType> dtype) {
  return run(Mean{dims, keepdim, dtype}, x);
}

namespace ops {
Tensor ReduceMethods::sum() const { return run(SumAll{}, self_of(this)); }
Tensor ReduceMethods::sum(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return run(Sum{dims, keepdim, dtype}, self_of(this));
}
Tensor ReduceMethods::mean() const { return run(MeanAll{}, self_of(this)); }
Tensor ReduceMethods::mean(const Dims& dims, bool keepdim, std::optional<DType> dtype) const {
  return run(Mean{dims, keepdim, dtype}, self_of(this));
}
Tensor ReduceMethods::sum_to_size(const Shape& shape) const {
  const Tensor& self = self_of(this);
  const Shape& input_shape = self.shape();
  if (shape.empty()) return self.sum();  // as in PyTorch, also converts integers of no dimensions
  if (input_shape == shape) return self;
  if (input_shape.size() < shape.size())
    fail<ShapeError>("sum_to_size: size {} is not expandable to size {}", shape, input_shape);
  const std::size_t lead = input_shape.size() - shape.size();
  Dims dims;
  for (std::size_t d = 0; d < input_shape.size(); ++d) {
    const std::int64_t target_size = d < lead ? 1 : shape[d - lead];
    if (d >= lead && target_size != input_shape[d] && target_size != 1)
      fail<ShapeError>("sum_to_size: size {} is not expandable to size {}", shape, input_shape);
    if (d < lead || target_size != input_shape[d]) dims.push_back(static_cast<std::int64_t>(d));
  }
  return self.sum(dims, true).view(shape);
}
}  // namespace ops

}  // namespace taper
