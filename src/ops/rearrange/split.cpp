// Splitting into sections or at indices.
#include <array>

#include "ops/forms.h"

namespace taper {

std::vector<Tensor> tensor_split(const Tensor& x, std::int64_t sections, IntArg dim) {
  if (x.dim() == 0)
    fail<ShapeError>(
        "tensor_split: expected at least a 1-dimensional tensor, but got a tensor "
        "with 0 dims");
  const std::int64_t d = wrap_dim(dim, x.shape().size(), "tensor_split");
  if (sections <= 0)
    fail<ValueError>("tensor_split: number of sections must be larger than 0, got {}", sections);
  const std::int64_t n = x.size(d), size = n / sections, larger = n % sections;
  std::vector<Tensor> parts;
  parts.reserve(static_cast<std::size_t>(sections));  // fails at once if memory is insufficient
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < sections; ++i) {
    const std::int64_t end = start + size + (i < larger);
    parts.push_back(x.slice(d, start, end));
    start = end;
  }
  return parts;
}

std::vector<Tensor> tensor_split(const Tensor& x, const Shape& indices, IntArg dim) {
  if (x.dim() == 0)
    fail<ShapeError>(
        "tensor_split: expected at least a 1-dimensional tensor, but got a tensor "
        "with 0 dims");
  const std::int64_t d = wrap_dim(dim, x.shape().size(), "tensor_split");
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t end : indices) {
    parts.push_back(x.slice(d, start, end));
    start = end;
  }
  parts.push_back(x.slice(d, start, {}));
  return parts;
}

std::vector<Tensor> tensor_split(const Tensor& x, const Tensor& indices_or_sections, IntArg dim) {
  if (indices_or_sections.dtype() != DType::i64 || indices_or_sections.dim() > 1)
    fail<ValueError>(
        "tensor_split: expected indices_or_sections to be a zero-dimensional or one-dimensional "
        "int64 tensor: got dtype {} and shape {}",
        indices_or_sections.dtype(), indices_or_sections.shape());
  const Tensor host = indices_or_sections.cpu().contiguous();
  if (host.dim() == 0) return tensor_split(x, host.item<std::int64_t>(), dim);
  return tensor_split(x, Shape(host.data<std::int64_t>()), dim);
}

namespace {

/// Checks the arguments of hsplit, vsplit and dsplit, and returns the dimension to split.
std::int64_t split_dim(const Tensor& x, std::int64_t min_rank, std::int64_t dim,
                       std::string_view op) {
  if (x.dim() < min_rank)
    fail<ShapeError>(
        "{}: requires a tensor with at least {} dimension, but got a tensor with {} dimensions", op,
        min_rank, x.dim());
  return x.dim() == 1 ? 0 : dim;
}
std::vector<Tensor> split_evenly(const Tensor& x, std::int64_t sections, std::int64_t dim,
                                 std::string_view op) {
  if (sections <= 0 || x.size(dim) % sections != 0)
    fail<ValueError>(
        "{}: attempted to split along dimension {}, but the size of the dimension {} is not "
        "divisible by the split_size {}",
        op, dim, x.size(dim), sections);
  return tensor_split(x, sections, dim);
}

}  // namespace

std::vector<Tensor> hsplit(const Tensor& x, std::int64_t sections) {
  return split_evenly(x, sections, split_dim(x, 1, 1, "hsplit"), "hsplit");
}
std::vector<Tensor> hsplit(const Tensor& x, const Shape& indices) {
  return tensor_split(x, indices, split_dim(x, 1, 1, "hsplit"));
}
std::vector<Tensor> vsplit(const Tensor& x, std::int64_t sections) {
  return split_evenly(x, sections, split_dim(x, 2, 0, "vsplit"), "vsplit");
}
std::vector<Tensor> vsplit(const Tensor& x, const Shape& indices) {
  return tensor_split(x, indices, split_dim(x, 2, 0, "vsplit"));
}
std::vector<Tensor> dsplit(const Tensor& x, std::int64_t sections) {
  return split_evenly(x, sections, split_dim(x, 3, 2, "dsplit"), "dsplit");
}
std::vector<Tensor> dsplit(const Tensor& x, const Shape& indices) {
  return tensor_split(x, indices, split_dim(x, 3, 2, "dsplit"));
}
std::vector<Tensor> split(const Tensor& x, const Shape& sizes, IntArg dim) {
  return x.split(sizes, dim);
}
std::vector<Tensor> split_with_sizes(const Tensor& x, const Shape& split_sizes, IntArg dim) {
  return x.split(split_sizes, dim);
}
std::vector<Tensor> unsafe_split(const Tensor& x, IntArg split_size, IntArg dim) {
  return x.split(static_cast<std::int64_t>(split_size), dim);
}
std::vector<Tensor> unsafe_chunk(const Tensor& x, IntArg chunks, IntArg dim) {
  return x.chunk(chunks, dim);
}

namespace ops {
using Parts = std::vector<Tensor>;
Parts RearrangeMethods::tensor_split(std::int64_t sections, IntArg dim) const {
  return taper::tensor_split(self_of(this), sections, dim);
}
Parts RearrangeMethods::tensor_split(const Shape& indices, IntArg dim) const {
  return taper::tensor_split(self_of(this), indices, dim);
}
Parts RearrangeMethods::tensor_split(const Tensor& indices_or_sections, IntArg dim) const {
  return taper::tensor_split(self_of(this), indices_or_sections, dim);
}
Parts RearrangeMethods::hsplit(std::int64_t sections) const {
  return taper::hsplit(self_of(this), sections);
}
Parts RearrangeMethods::hsplit(const Shape& indices) const {
  return taper::hsplit(self_of(this), indices);
}
Parts RearrangeMethods::vsplit(std::int64_t sections) const {
  return taper::vsplit(self_of(this), sections);
}
Parts RearrangeMethods::vsplit(const Shape& indices) const {
  return taper::vsplit(self_of(this), indices);
}
Parts RearrangeMethods::dsplit(std::int64_t sections) const {
  return taper::dsplit(self_of(this), sections);
}
Parts RearrangeMethods::dsplit(const Shape& indices) const {
  return taper::dsplit(self_of(this), indices);
}
Parts RearrangeMethods::split_with_sizes(const Shape& split_sizes, IntArg dim) const {
  return self_of(this).split(split_sizes, dim);
}
Parts RearrangeMethods::unsafe_split(IntArg split_size, IntArg dim) const {
  return taper::unsafe_split(self_of(this), split_size, dim);
}
Parts RearrangeMethods::unsafe_chunk(IntArg chunks, IntArg dim) const {
  return self_of(this).chunk(chunks, dim);
}
}  // namespace ops

}  // namespace taper
