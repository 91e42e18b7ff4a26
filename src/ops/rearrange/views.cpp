// Views that permute, insert or broadcast dimensions.
#include <algorithm>

#include "ops/forms.h"
#include "ops/promote.h"

namespace taper {

Tensor movedim(const Tensor& x, const Dims& source, const Dims& destination) {
  if (source.size() != destination.size())
    fail<ShapeError>(
        "movedim: Invalid source or destination dims: source ({} dims) should contain the same "
        "number of dims as destination ({} dims)",
        source, destination);
  const std::size_t rank = x.shape().size();
  if (rank == 0) {
    for (std::size_t i = 0; i < source.size(); ++i)
      wrap_dim(source[i], rank, "movedim"), wrap_dim(destination[i], rank, "movedim");
    return x;
  }
  constexpr std::int64_t kFree = -1;
  Shape order = Shape::filled(rank, kFree);
  std::vector<bool> moved(rank);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto from = static_cast<std::size_t>(wrap_dim(source[i], rank, "movedim")),
               to = static_cast<std::size_t>(wrap_dim(destination[i], rank, "movedim"));
    if (moved[from]) fail<ValueError>("movedim: repeated dim in `source` ({})", source);
    if (order[to] != kFree)
      fail<ValueError>("movedim: repeated dim in `destination` ({})", destination);
    moved[from] = true;
    order[to] = static_cast<std::int64_t>(from);
  }
  std::size_t next = 0;
  for (std::int64_t& d : order) {
    if (d != kFree) continue;
    while (moved[next]) ++next;
    d = static_cast<std::int64_t>(next++);
  }
  return x.permute(order);
}
Tensor moveaxis(const Tensor& x, const Dims& source, const Dims& destination) {
  return movedim(x, source, destination);
}
Tensor swapaxes(const Tensor& x, IntArg axis0, IntArg axis1) { return x.transpose(axis0, axis1); }
Tensor swapdims(const Tensor& x, IntArg dim0, IntArg dim1) { return x.transpose(dim0, dim1); }
Tensor adjoint(const Tensor& x) {
  if (x.dim() < 2)
    fail<ShapeError>(
        "adjoint: tensor.adjoint() is only supported on matrices or batches of "
        "matrices. Got {}-D tensor.",
        x.dim());
  return x.mT();
}
Tensor ravel(const Tensor& x) { return x.reshape(-1); }
Tensor broadcast_to(const Tensor& x, const Shape& size) { return x.expand(size); }

std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors) {
  Shape common;
  for (const Tensor& t : tensors) broadcast_into(common, t.shape(), "broadcast_tensors");
  std::vector<Tensor> results;
  for (const Tensor& t : tensors) results.push_back(t.expand(common));
  return results;
}
std::vector<Tensor> broadcast_tensors(std::initializer_list<Tensor> tensors) {
  return broadcast_tensors(std::span(tensors.begin(), tensors.size()));
}
Shape broadcast_shapes(std::span<const Shape> shapes) {
  Shape common;
  for (const Shape& s : shapes) {
    for (const std::int64_t size : s)
      if (size < 0)
        fail<ValueError>(
            "broadcast_shapes: Trying to create tensor with negative dimension ({}): {}", size, s);
    broadcast_into(common, s, "broadcast_shapes");
  }
  return common;
}
Shape broadcast_shapes(std::initializer_list<Shape> shapes) {
  return broadcast_shapes(std::span(shapes.begin(), shapes.size()));
}

Tensor atleast_1d(const Tensor& x) { return x.dim() == 0 ? x.reshape({1}) : x; }
Tensor atleast_2d(const Tensor& x) {
  if (x.dim() == 0) return x.reshape({1, 1});
  return x.dim() == 1 ? x.unsqueeze(0) : x;
}
Tensor atleast_3d(const Tensor& x) {
  if (x.dim() == 0) return x.reshape({1, 1, 1});
  if (x.dim() == 1) return x.unsqueeze(0).unsqueeze(-1);
  return x.dim() == 2 ? x.unsqueeze(-1) : x;
}

Tensor t(const Tensor& x) { return x.t(); }
Tensor select(const Tensor& x, IntArg dim, IntArg index) { return x.select(dim, index); }
Tensor narrow(const Tensor& x, IntArg dim, IntArg start, IntArg length) {
  return x.narrow(dim, start, length);
}
Tensor narrow(const Tensor& x, IntArg dim, const Tensor& start, IntArg length) {
  return x.narrow(dim, start, length);
}
Tensor narrow_copy(const Tensor& x, IntArg dim, IntArg start, IntArg length) {
  return x.narrow(dim, start, length).clone();
}
std::vector<Tensor> unbind(const Tensor& x, IntArg dim) { return x.unbind(dim); }
Tensor unflatten(const Tensor& x, IntArg dim, const Shape& sizes) {
  return x.unflatten(dim, sizes);
}
Tensor as_strided(const Tensor& x, const Shape& size, const Shape& stride,
                  std::optional<IntArg> storage_offset) {
  return x.as_strided(size, stride, storage_offset);
}

namespace ops {
Tensor RearrangeMethods::movedim(const Dims& source, const Dims& destination) const {
  return taper::movedim(self_of(this), source, destination);
}
Tensor RearrangeMethods::moveaxis(const Dims& source, const Dims& destination) const {
  return taper::movedim(self_of(this), source, destination);
}
Tensor RearrangeMethods::swapaxes(IntArg axis0, IntArg axis1) const {
  return self_of(this).transpose(axis0, axis1);
}
Tensor RearrangeMethods::swapdims(IntArg dim0, IntArg dim1) const {
  return self_of(this).transpose(dim0, dim1);
}
Tensor RearrangeMethods::T() const {
  Shape order;
  for (std::int64_t d = self_of(this).dim(); d-- > 0;) order.push_back(d);
  return self_of(this).permute(order);
}
Tensor RearrangeMethods::H() const {
  const Tensor& x = self_of(this);
  if (x.dim() != 0 && x.dim() != 2)
    fail<ShapeError>("H: tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.",
                     x.dim());
  return x.dim() == 0 ? x : x.mT();
}
Tensor RearrangeMethods::mH() const { return taper::adjoint(self_of(this)); }
Tensor RearrangeMethods::adjoint() const { return taper::adjoint(self_of(this)); }
Tensor RearrangeMethods::ravel() const { return taper::ravel(self_of(this)); }
Tensor RearrangeMethods::view_as(const Tensor& other) const {
  return self_of(this).view(other.shape());
}
Tensor RearrangeMethods::reshape_as(const Tensor& other) const {
  return self_of(this).reshape(other.shape());
}
Tensor RearrangeMethods::broadcast_to(const Shape& size) const {
  return self_of(this).expand(size);
}
Tensor RearrangeMethods::narrow_copy(IntArg dim, IntArg start, IntArg length) const {
  return taper::narrow_copy(self_of(this), dim, start, length);
}
}  // namespace ops

}  // namespace taper
