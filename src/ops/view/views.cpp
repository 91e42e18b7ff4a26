#include "ops/view/views.h"
#include "ops/forms.h"

namespace taper {

TAPER_DEFINE_OP(view, View_);
TAPER_DEFINE_OP(permute, Permute);
TAPER_DEFINE_OP(transpose, Transpose<false>);
TAPER_DEFINE_OP(t, Transpose<true>);
TAPER_DEFINE_OP(expand, Expand);
TAPER_DEFINE_OP(unsqueeze, Unsqueeze);
TAPER_DEFINE_OP(squeeze, Squeeze);

namespace ops {
Tensor ViewMethods::view(const Shape& shape) const { return run(View_{shape}, self_of(this)); }

Tensor ViewMethods::reshape(const Shape& shape) const {
  const Tensor& self = self_of(this);
  const TensorImpl& t = impl(self);
  const Shape sizes = view::infer_size(shape, t.numel, "reshape");
  if (view::compute_strides(t.shape, t.strides, sizes)) return self.view(sizes);
  return self.clone().view(sizes);
}

Tensor ViewMethods::flatten(IntArg start_dim, IntArg end_dim) const {
  const Tensor& self = self_of(this);
  const Shape& s = self.shape();
  const std::size_t rank = std::max<std::size_t>(1, s.size());
  const auto a = static_cast<std::size_t>(wrap_dim(start_dim, rank, "flatten")),
             b = static_cast<std::size_t>(wrap_dim(end_dim, rank, "flatten"));
  if (s.empty()) return self.reshape({1});
  if (a > b)
    fail<ValueError>(
        "flatten: flatten() has invalid args: start_dim ({}) cannot come after end_dim ({})",
        start_dim, end_dim);
  if (a == b) return self;
  Shape to;
  for (std::size_t d = 0; d < a; ++d) to.push_back(s[d]);
  to.push_back(Shape(std::span(s.begin() + a, s.begin() + b + 1)).numel());
  for (std::size_t d = b + 1; d < s.size(); ++d) to.push_back(s[d]);
  return self.reshape(to);
}

Tensor ViewMethods::unflatten(IntArg dim, const Shape& sizes) const {
  const Tensor& self = self_of(this);
  const Shape& s = self.shape();
  if (sizes.empty()) fail<ShapeError>("unflatten: sizes must be non-empty");
  const auto at = static_cast<std::size_t>(wrap_dim(dim, s.size(), "unflatten"));
  const Shape inner = view::infer_size(sizes, s.empty() ? 1 : s[at], "unflatten");
  Shape to;
  for (std::size_t d = 0; d < s.size(); ++d) {
    if (d != at)
      to.push_back(s[d]);
    else
      for (std::int64_t n : inner) to.push_back(n);
  }
  return self.view(to);
}

Tensor ViewMethods::permute(const Dims& dims) const { return run(Permute{dims}, self_of(this)); }
Tensor ViewMethods::transpose(IntArg dim0, IntArg dim1) const {
  return run(Transpose<false>{dim0, dim1}, self_of(this));
}
Tensor ViewMethods::mT() const {
  if (self_of(this).dim() < 2)
    fail<ShapeError>("mT: expected a tensor of at least 2 dimensions: got shape {}",
                     self_of(this).shape());
  return transpose(-2, -1);
}
Tensor ViewMethods::t() const {
  const Tensor& self = self_of(this);
  if (self.dim() > 2)
    fail<ShapeError>("t: expects a tensor with <= 2 dimensions, but self is {}D (shape {})",
                     self.dim(), self.shape());
  return run(self.dim() < 2 ? Transpose<true>{0, 0} : Transpose<true>{0, 1}, self);
}
Tensor ViewMethods::unsqueeze(IntArg dim) const { return run(Unsqueeze{dim}, self_of(this)); }
Tensor ViewMethods::squeeze() const { return run(Squeeze{}, self_of(this)); }
Tensor ViewMethods::squeeze(const Dims& dims) const { return run(Squeeze{dims}, self_of(this)); }
Tensor ViewMethods::expand(const Shape& shape) const { return run(Expand{shape}, self_of(this)); }
Tensor ViewMethods::expand_as(const Tensor& other) const { return expand(other.shape()); }
}  // namespace ops

Tensor reshape(const Tensor& x, const Shape& shape) { return x.reshape(shape); }
Tensor flatten(const Tensor& x, IntArg a, IntArg b) { return x.flatten(a, b); }
Tensor permute(const Tensor& x, const Dims& dims) { return x.permute(dims); }
Tensor transpose(const Tensor& x, IntArg a, IntArg b) { return x.transpose(a, b); }
Tensor unsqueeze(const Tensor& x, IntArg dim) { return x.unsqueeze(dim); }
Tensor squeeze(const Tensor& x) { return x.squeeze(); }
Tensor squeeze(const Tensor& x, const Dims& dims) { return x.squeeze(dims); }

}  // namespace taper
