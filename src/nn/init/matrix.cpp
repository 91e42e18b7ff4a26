#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/check.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"

namespace taper::nn::init {
namespace {

/// Column-major matrix with at least as many rows as columns.
struct ColumnMajorMatrix {
  std::size_t rows, columns;
  std::vector<double> values = std::vector<double>(rows * columns);

  double* column(std::size_t j) { return values.data() + j * rows; }
};

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Applies a Householder reflection: column -= v * 2 (v . column) / (v . v) over n elements.
/// `half_square` is (v . v) / 2.
void reflect(const double* v, double* column, std::size_t n, double half_square) {
  const double factor = dot(v, column, n) / half_square;
  for (std::size_t i = 0; i < n; ++i) column[i] -= factor * v[i];
}

/// Returns the Q of the QR decomposition whose R has a nonnegative diagonal, computed with
/// Householder reflections. If R has a zero on the diagonal, the column of Q is zero, as in
/// PyTorch.
ColumnMajorMatrix orthonormalize(ColumnMajorMatrix a) {
  const std::size_t m = a.rows, n = a.columns;
  std::vector<double> half_square(n), diagonal(n);
  for (std::size_t k = 0; k < n; ++k) {
    double* v = a.column(k) + k;
    const double norm = std::sqrt(dot(v, v, m - k));
    diagonal[k] = v[0] > 0 ? -norm : norm;
    v[0] -= diagonal[k];
    half_square[k] = dot(v, v, m - k) / 2;
    if (half_square[k] == 0) continue;
    for (std::size_t j = k + 1; j < n; ++j) reflect(v, a.column(j) + k, m - k, half_square[k]);
  }
  ColumnMajorMatrix q{m, n};
  for (std::size_t j = 0; j < n; ++j) {
    double* column = q.column(j);
    column[j] = diagonal[j] > 0 ? 1 : diagonal[j] < 0 ? -1 : 0;
    for (std::size_t k = j + 1; k-- > 0;)
      if (half_square[k] != 0) reflect(a.column(k) + k, column + k, m - k, half_square[k]);
  }
  return q;
}

}  // namespace

const Tensor& orthogonal_(const Tensor& tensor, double gain, const Generator& generator) {
  if (tensor.dim() < 2)
    fail<ValueError>(
        "orthogonal_: Only tensors with 2 or more dimensions are supported: got shape {}",
        tensor.shape());
  if (tensor.numel() == 0 || tensor.device().is_meta()) return tensor;
  const NoGrad guard;
  const auto rows = static_cast<std::size_t>(tensor.size(0));
  const std::size_t columns = static_cast<std::size_t>(tensor.numel()) / rows;
  // The normals are drawn in the tensor's dtype, which determines the random stream.
  const Tensor normals =
      empty(tensor.shape(), {.dtype = tensor.dtype()}).normal_(0, 1, generator).to(float64);
  const auto flat = normals.mutable_data<double>();
  const bool tall = rows >= columns;
  ColumnMajorMatrix a{tall ? rows : columns, tall ? columns : rows};
  const auto element = [&](ColumnMajorMatrix& c, std::size_t i, std::size_t j) -> double& {
    return tall ? c.column(j)[i] : c.column(i)[j];
  };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) element(a, i, j) = flat[i * columns + j];
  ColumnMajorMatrix q = orthonormalize(std::move(a));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) flat[i * columns + j] = gain * element(q, i, j);
  return tensor.copy_(normals);
}

const Tensor& sparse_(const Tensor& tensor, FloatArg sparsity, double std,
                      const Generator& generator) {
  if (tensor.dim() != 2)
    fail<ValueError>("sparse_: Only tensors with 2 dimensions are supported: got shape {}",
                     tensor.shape());
  if (!(sparsity >= 0 && sparsity <= 1))
    fail<ValueError>("sparse_: sparsity out of range: got {}, expected a number from 0 to 1",
                     python_repr(sparsity));
  const NoGrad guard;
  if (tensor.device().is_meta()) return tensor;
  tensor.normal_(0, std, generator);
  const std::int64_t rows = tensor.size(0), columns = tensor.size(1);
  const auto zeros = static_cast<std::size_t>(std::ceil(sparsity * static_cast<double>(rows)));
  // float64 represents the elements of every floating-point dtype exactly.
  const Tensor values = tensor.clone().cpu().to(float64).contiguous();
  const auto elements = values.mutable_data<double>();
  for (std::int64_t column = 0; column < columns; ++column) {
    const Tensor order = randperm(rows);  // from the default generator, as in PyTorch
    for (const std::int64_t row : order.data<std::int64_t>().first(zeros))
      elements[static_cast<std::size_t>(row * columns + column)] = 0;
  }
  return tensor.copy_(values);
}

}  // namespace taper::nn::init
