#include "taper/distributions/utils.h"

#include "core/parameter_flag.h"
#include "distributions/shapes.h"
#include "taper/autograd/grad_mode.h"

namespace taper::distributions {

TensorOrNumber::TensorOrNumber(const Tensor& tensor) : tensor_(tensor) {
  if (!tensor.defined()) fail<ValueError>("distributions: undefined tensor as a parameter");
}

Tensor TensorOrNumber::to_tensor(DType dtype) const {
  return is_tensor() ? tensor_ : scalar_tensor(number_, {.dtype = dtype});
}

std::string TensorOrNumber::str() const {
  if (!is_tensor()) return number_.str();
  const bool is_number = tensor_.dim() == 0 && !is_parameter(tensor_);
  return is_number ? tensor_.item().str() : tensor_.str();
}

namespace utils {

std::vector<Tensor> broadcast_all(std::span<const TensorOrNumber> values) {
  const Tensor* first = nullptr;
  for (const TensorOrNumber& v : values)
    if (v.is_tensor() && !first) first = &v.tensor();
  Shape shape;
  for (const TensorOrNumber& v : values) shape = broadcast_shapes(shape, v.shape());
  std::vector<Tensor> tensors;
  for (const TensorOrNumber& v : values) {
    Tensor t = v.to_tensor(first ? first->dtype() : default_dtype());
    if (first && !v.is_tensor()) t = t.to(first->device());
    tensors.push_back(t.shape() == shape ? t : t.expand(shape));
  }
  return tensors;
}
std::vector<Tensor> broadcast_all(std::initializer_list<TensorOrNumber> values) {
  return broadcast_all(std::span(values.begin(), values.size()));
}

Tensor logits_to_probs(const Tensor& logits, bool is_binary) {
  return is_binary ? sigmoid(logits) : logits.softmax(-1);
}
Tensor clamp_probs(const Tensor& probs) {
  const double eps = finfo(probs.dtype()).eps;
  return probs.clamp(eps, 1 - eps);
}
Tensor probs_to_logits(const Tensor& probs, bool is_binary) {
  const Tensor p = clamp_probs(probs);
  return is_binary ? p.log() - (-p).log1p() : p.log();
}

namespace {
/// Returns a bool matrix that is true up to diagonal `diag`.
Tensor lower_mask(std::int64_t n, std::int64_t diag) {
  return ones({n, n}, {.dtype = DType::f32}).tril(diag) > 0;
}
}  // namespace

Tensor tril_matrix_to_vec(const Tensor& mat, IntArg diag) {
  const std::int64_t n = mat.size(-1), d = diag;
  if (d < -n || d >= n) fail<ValueError>("diag ({}) provided is outside [{}, {}].", d, -n, n - 1);
  const Tensor indices = lower_mask(n, d).flatten().nonzero().flatten();
  return mat.flatten(-2, -1).index_select(-1, indices);
}
Tensor vec_to_tril_matrix(const Tensor& vec, IntArg diag) {
  const std::int64_t d = diag, size = vec.size(-1);
  const double m = static_cast<double>(size), k = static_cast<double>(d);
  const double root =
      (-(1 + 2 * k) + std::sqrt((1 + 2 * k) * (1 + 2 * k) + 8 * m + 4 * std::abs(k) * (k + 1))) / 2;
  const auto n = static_cast<std::int64_t>(std::lround(root));
  const double eps = finfo(vec.dtype()).eps;
  if (!(std::abs(root - static_cast<double>(n)) <= eps * static_cast<double>(n)))
    fail<ValueError>(
        "The size of last dimension is {} which cannot be expressed as the lower triangular part "
        "of a square D x D matrix.",
        size);
  const Tensor indices = lower_mask(n, d).flatten().nonzero().flatten();
  const Shape batch = without_last(vec.shape(), 1);
  return full_as(vec, concat({batch, {n * n}}), 0)
      .index_copy(-1, indices, vec)
      .unflatten(-1, {n, n});
}

}  // namespace utils

Shape concat(std::initializer_list<Shape> shapes) {
  Shape all;
  for (const Shape& s : shapes)
    for (const std::int64_t n : s) all.push_back(n);
  return all;
}
Shape without_last(const Shape& shape, std::int64_t n) {
  Shape s = shape;
  s.resize(static_cast<std::size_t>(std::max<std::int64_t>(rank_of(shape) - n, 0)));
  return s;
}
Shape last(const Shape& shape, std::int64_t n) {
  Shape s;
  for (std::int64_t i = std::max<std::int64_t>(rank_of(shape) - n, 0); i < rank_of(shape); ++i)
    s.push_back(shape[static_cast<std::size_t>(i)]);
  return s;
}
Shape broadcast_shapes(const Shape& a, const Shape& b) {
  Shape result = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  const std::size_t offset = result.size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& n = result[offset + i];
    if (n == 1)
      n = other[i];
    else if (other[i] != 1 && other[i] != n)
      fail<ShapeError>("distributions: shapes cannot be broadcast: got {} and {}", a, b);
  }
  return result;
}
Tensor sum_rightmost(const Tensor& value, std::int64_t n) {
  if (n <= 0) return value;
  Dims dims;
  for (std::int64_t i = 1; i <= n; ++i) dims.push_back(-i);
  return value.sum(dims);
}
TensorOptions options_of(const Tensor& like) {
  return {.dtype = like.dtype(), .device = like.device()};
}
Tensor full_as(const Tensor& like, const Shape& shape, double value) {
  return full(shape, value, options_of(like));
}
Tensor standard_normal(const Shape& shape, const Tensor& like, const Generator& generator) {
  return randn(shape, options_of(like), generator);
}
Tensor standard_uniform(const Shape& shape, const Tensor& like, const Generator& generator) {
  return rand(shape, options_of(like), generator);
}
Tensor batch_mv(const Tensor& matrix, const Tensor& vector) {
  return matrix.matmul(vector.unsqueeze(-1)).squeeze({-1});
}
Tensor clipped_sigmoid(const Tensor& x) {
  const finfo limits(x.dtype());
  return sigmoid(x).clamp(limits.tiny, 1 - limits.eps);
}
Tensor pad_with_ones(const Tensor& x, std::int64_t before, std::int64_t after) {
  const Shape batch = without_last(x.shape(), 1);
  return cat({full_as(x, concat({batch, {before}}), 1), x, full_as(x, concat({batch, {after}}), 1)},
             -1);
}
Tensor x_log_x(const Tensor& input) { return xlogy(input, input); }

}  // namespace taper::distributions
