#include "ops/linalg/dense.h"

#include "ops/kernel/reference.h"
#include "ops/promote.h"
#include "taper/core/tensor.h"

namespace taper {
namespace kernel {
namespace {

std::byte* element_address(const Matrix& m, std::int64_t i, std::int64_t j) {
  return m.data +
         (i * m.row_stride + j * m.col_stride) * static_cast<std::int64_t>(size_of(m.dtype));
}

/// Returns one matrix per index of the dimensions of `v` before the last `inner`: a copy of
/// `matrix` with the address of its first element.
std::vector<Matrix> collect_matrices(const View& v, std::size_t inner, Matrix matrix) {
  const Shape outer = drop_last_dims(*v.shape, inner), strides = drop_last_dims(*v.strides, inner);
  const View starts{v.data, &outer, &strides, 0, v.dtype, nullptr};
  std::vector<Matrix> collected;
  walk(outer, std::array<const View*, 1>{&starts}, [&](const std::array<std::int64_t, 1>& offset) {
    collected.push_back(matrix);
    collected.back().data = v.data + offset[0];
  });
  return collected;
}

}  // namespace

Dense::Dense(const Matrix& m) : Dense(m.rows, m.cols) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      (*this)(i, j) = load<double>(element_address(m, i, j), m.dtype);
}
Dense Dense::identity(std::int64_t n) {
  Dense d(n, n);
  for (std::int64_t i = 0; i < n; ++i) d(i, i) = 1;
  return d;
}
void Dense::write_to(const Matrix& m) const {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) store(element_address(m, i, j), m.dtype, (*this)(i, j));
}
Matrix Dense::view() const {
  auto* data = reinterpret_cast<std::byte*>(const_cast<double*>(elements_.data()));
  return {data, rows, cols, cols, 1, DType::f64};
}

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.cols);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.cols; ++k) {
      const double x = a(i, k);
      const double* from = b.row(k);
      double* to = c.row(i);
      for (std::int64_t j = 0; j < b.cols; ++j) to[j] += x * from[j];
    }
  return c;
}

std::vector<Matrix> all_matrices(const View& v) {
  const Shape &n = *v.shape, &s = *v.strides;
  const std::size_t r = n.size() - 2;
  return collect_matrices(v, 2, {v.data, n[r], n[r + 1], s[r], s[r + 1], v.dtype});
}
std::vector<Matrix> all_columns(const View& v) {
  return collect_matrices(v, 1, {v.data, v.shape->back(), 1, v.strides->back(), 1, v.dtype});
}
std::vector<Matrix> all_elements(const View& v) {
  return collect_matrices(v, 0, {v.data, 1, 1, 1, 1, v.dtype});
}

}  // namespace kernel

Shape drop_last_dims(Shape shape, std::size_t dropped) {
  for (; dropped > 0; --dropped) shape.erase(shape.size() - 1);
  return shape;
}

Tensor expand_batch(const Tensor& t, const Shape& batch, std::size_t inner) {
  Shape shape = batch;
  for (std::size_t d = t.shape().size() - inner; d < t.shape().size(); ++d)
    shape.push_back(t.shape()[d]);
  return t.expand(shape);
}

std::pair<Tensor, Tensor> broadcast_batches(const Tensor& a, const Tensor& b, std::string_view op) {
  if (a.dim() < 2 || b.dim() < 2) return {a, b};
  Shape batch = drop_last_dims(a.shape(), 2);
  broadcast_into(batch, drop_last_dims(b.shape(), 2), op);
  return {expand_batch(a, batch, 2), expand_batch(b, batch, 2)};
}

void check_matrices(const ShapeInference& i, int input, const char* name, bool square) {
  const Shape& s = i.shape(input);
  if (s.size() < 2)
    i.fail("The input tensor {} must have at least 2 dimensions: got shape {}", name, s);
  if (square && s.back() != s[s.size() - 2])
    i.fail("{} must be batches of square matrices, but they are {} by {} matrices", name,
           s[s.size() - 2], s.back());
}

void check_matrix(const Tensor& a, std::string_view op, bool square) {
  if (a.dim() < 2)
    fail<ShapeError>("{}: The input tensor A must have at least 2 dimensions: got shape {}", op,
                     a.shape());
  if (square && a.size(-1) != a.size(-2))
    fail<ShapeError>("{}: A must be batches of square matrices, but they are {} by {} matrices", op,
                     a.size(-2), a.size(-1));
}

void matrix_dtype_error(const ShapeInference& i) {
  if (is_floating_point(i.common))
    i.fail<DTypeError>("Low precision dtypes not supported. Got {}", i.common);
  i.fail<DTypeError>("Expected a floating point or complex tensor as input. Got {}", i.common);
}

}  // namespace taper
