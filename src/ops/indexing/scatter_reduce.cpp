#include "ops/indexing/scatter_reduce.h"

#include "core/number_range.h"
#include "ops/forms.h"

namespace taper {

using indexing::reduction_named;
using indexing::ScatterReduction;

void ScatterReduce::infer(ShapeInference& i) const {
  reduction_named(reduce, op.function());
  const Shape &self = i.shape(0), &index = i.shape(1), &src = i.shape(2);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.size(), op.function()));
  if (i.dtype(1) != DType::i64 && i.dtype(1) != DType::i32)
    i.fail<DTypeError>("Expected dtype int32/int64 for index: got {}", i.dtype(1));
  if (i.dtype(2) != i.dtype(0))
    i.fail<DTypeError>("Expected self.dtype to be equal to src.dtype: got {} and {}", i.dtype(0),
                       i.dtype(2));
  bool fits = index == src && index.size() == self.size();
  for (std::size_t e = 0; fits && e < index.size(); ++e) fits = e == d || index[e] <= self[e];
  if (!fits && index.numel() > 0)
    i.fail(
        "Expected index {} to be no larger than self {} apart from dimension {} and to be no "
        "larger size than src {}",
        index, self, d, src);
  i.set_output(self, i.dtype(0));
}

void ScatterReduce::backward(BackwardContext<ScatterReduce>& b) const {
  const Tensor &x = b.input<0>(), &index = b.input<1>(), &src = b.input<2>(), &y = b.output<0>();
  const Tensor& g = b.grad();
  Tensor grad_self, grad_src;
  switch (reduction_named(reduce, op.function())) {
    case ScatterReduction::sum:
      grad_self = g;
      grad_src = g.gather(dim, index);
      break;
    case ScatterReduction::mean: {
      const Tensor before = include_self ? ones_like(g) : zeros_like(g);
      const Tensor count = before.scatter_add(dim, index, ones_like(src)).clamp(1, {});
      grad_self = g / count;
      grad_src = grad_self.gather(dim, index);
      break;
    }
    case ScatterReduction::prod: {
      // The quotients product / element are wrong for zeros, which are replaced by 1.
      const Tensor factors = x.masked_fill(x == 0, 1);
      grad_self = g * run(*this, factors, index, src) / factors;
      const Tensor zero = src == 0;
      const Tensor zeros_there =
          zeros_like(x).scatter_add(dim, index, zero.to(x.dtype())).gather(dim, index);
      const Tensor single = zero.logical_and(zeros_there == 1);
      const Tensor others = run(*this, x, index, src.masked_fill(single, 1));
      grad_src = taper::where(single, (g * others).gather(dim, index),
                              (g * y).gather(dim, index) / src.masked_fill(zero, 1));
      break;
    }
    case ScatterReduction::amax:
    case ScatterReduction::amin: {
      const Tensor self_is = (x == y).to(g.dtype());
      const Tensor src_is = (src == y.gather(dim, index)).to(g.dtype());
      const Tensor share = g / self_is.scatter_add(dim, index, src_is);
      grad_self = self_is * share;
      grad_src = src_is * share.gather(dim, index);
      break;
    }
  }
  if (b.needs_input_grad(0))
    b[0] = include_self ? grad_self : grad_self.scatter(dim, index, Scalar(0));
  if (b.needs_input_grad(2)) b[2] = grad_src;
}

TAPER_DEFINE_OP(scatter_reduce, ScatterReduce);

namespace {

/// Returns the part of `src` that the index covers.
Tensor covered_part(const Tensor& src, const Tensor& index) {
  if (src.shape() == index.shape() || src.dim() != index.dim()) return src;
  Tensor part = src;
  for (std::int64_t d = 0; d < src.dim(); ++d)
    if (index.size(d) < part.size(d)) part = part.narrow(d, 0, index.size(d));
  return part;
}

/// Operands of scatter_reduce for the arguments of index_reduce.
struct SliceReduction {
  Tensor index, source;
};
SliceReduction check_slices(const Tensor& x, std::int64_t dim, const Tensor& index,
                            const Tensor& source, std::string_view reduce) {
  if (reduce != "prod" && reduce != "mean" && reduce != "amax" && reduce != "amin")
    fail<ValueError>(
        "index_reduce: Expected reduce to be one of prod, mean, amax or amin but got '{}'", reduce);
  if (index.dim() > 1)
    fail<ShapeError>("index_reduce: Index is supposed to be a vector, but got shape {}",
                     index.shape());
  if (index.dtype() != DType::i64 && index.dtype() != DType::i32)
    fail<DTypeError>("index_reduce: Expected dtype int32/int64 for index: got {}", index.dtype());
  if (source.dtype() != x.dtype())
    fail<DTypeError>("index_reduce: self ({}) and source ({}) must have the same scalar type",
                     x.dtype(), source.dtype());
  Shape expected = x.shape();
  const auto d = static_cast<std::size_t>(wrap_dim(dim, expected.size(), "index_reduce"));
  if (!expected.empty()) expected[d] = index.numel();
  if (!(source.shape().empty() ? Shape{1} : source.shape()).numel() && index.numel() == 0)
    return {index.to(DType::i64).reshape(source.shape()), source};
  if (!(source.shape() == expected) && !(expected.empty() && source.numel() == 1))
    fail<ShapeError>("index_reduce: expected source of shape {} for input {}, dim {}, got {}",
                     expected, x.shape(), d, source.shape());
  Shape along = Shape::filled(expected.size(), 1);
  if (!along.empty()) along[d] = index.numel();
  return {index.to(DType::i64).reshape(along).expand(expected), source.reshape(expected)};
}

std::string_view check_arithmetic(std::string_view reduce) {
  if (reduce == "add") return "sum";
  if (reduce == "multiply") return "prod";
  fail<ValueError>("scatter: reduce argument must be either add or multiply, got '{}'", reduce);
}
Tensor filled(const Tensor& x, const Tensor& index, const Scalar& value) {
  if (index.numel() > 0) check_in_range(value, x.dtype(), "scatter");
  return full(index.shape(), value, {.dtype = x.dtype(), .device = x.device()});
}

}  // namespace

Tensor scatter_reduce(const Tensor& x, IntArg dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self) {
  return run(ScatterReduce{dim, std::string(reduce), include_self}, x, index,
             covered_part(src, index));
}
Tensor index_reduce(const Tensor& x, IntArg dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  const SliceReduction r = check_slices(x, dim, index, source, reduce);
  return scatter_reduce(x, dim, r.index, r.source, reduce, include_self);
}
Tensor scatter(const Tensor& x, IntArg dim, const Tensor& index, const Scalar& value) {
  return x.scatter(dim, index, value);
}
Tensor scatter(const Tensor& x, IntArg dim, const Tensor& index, const Tensor& src,
               std::string_view reduce) {
  return scatter_reduce(x, dim, index, src, check_arithmetic(reduce));
}
Tensor scatter(const Tensor& x, IntArg dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
  return scatter_reduce(x, dim, index, filled(x, index, value), check_arithmetic(reduce));
}

namespace ops {
Tensor ScatterMethods::scatter_reduce(IntArg dim, const Tensor& index, const Tensor& src,
                                      std::string_view reduce, bool include_self) const {
  return taper::scatter_reduce(self_of(this), dim, index, src, reduce, include_self);
}
const Tensor& ScatterMethods::scatter_reduce_(IntArg dim, const Tensor& index, const Tensor& src,
                                              std::string_view reduce, bool include_self) const {
  return run_inplace(ScatterReduce{dim, std::string(reduce), include_self}, self_of(this), index,
                     covered_part(src, index));
}
Tensor ScatterMethods::index_reduce(IntArg dim, const Tensor& index, const Tensor& source,
                                    std::string_view reduce, bool include_self) const {
  return taper::index_reduce(self_of(this), dim, index, source, reduce, include_self);
}
const Tensor& ScatterMethods::index_reduce_(IntArg dim, const Tensor& index, const Tensor& source,
                                            std::string_view reduce, bool include_self) const {
  const SliceReduction r = check_slices(self_of(this), dim, index, source, reduce);
  return scatter_reduce_(dim, r.index, r.source, reduce, include_self);
}
Tensor IndexingMethods::scatter(IntArg dim, const Tensor& index, const Tensor& src,
                                std::string_view reduce) const {
  return taper::scatter(self_of(this), dim, index, src, reduce);
}
Tensor IndexingMethods::scatter(IntArg dim, const Tensor& index, const Scalar& value,
                                std::string_view reduce) const {
  return taper::scatter(self_of(this), dim, index, value, reduce);
}
const Tensor& IndexingMethods::scatter_(IntArg dim, const Tensor& index, const Tensor& src,
                                        std::string_view reduce) const {
  return self_of(this).scatter_reduce_(dim, index, src, check_arithmetic(reduce));
}
const Tensor& IndexingMethods::scatter_(IntArg dim, const Tensor& index, const Scalar& value,
                                        std::string_view reduce) const {
  const Tensor& x = self_of(this);
  return x.scatter_reduce_(dim, index, filled(x, index, value), check_arithmetic(reduce));
}
}  // namespace ops

}  // namespace taper
