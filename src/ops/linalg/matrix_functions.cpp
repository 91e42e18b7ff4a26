// Functions composed of decompositions: pseudoinverses, ranks, powers, least squares, norms.
#include <cmath>
#include <limits>

#include "core/named_call.h"
#include "ops/autocast.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/solve.h"
#include "ops/promote.h"
#include "taper/autograd/function.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/decomposition.h"

namespace taper {
namespace {

double epsilon_of(const Tensor& a) {
  return a.dtype() == DType::f32 ? double{std::numeric_limits<float>::epsilon()}
                                 : std::numeric_limits<double>::epsilon();
}

/// Absolute and relative tolerance for singular values, in a shape that broadcasts to the batch.
struct Tolerances {
  Tensor atol, rtol;
};
Tolerances tolerances(const Tensor& a, const linalg::Tolerance& atol, const linalg::Tolerance& rtol,
                      const char* op) {
  check_matrix(a, op);
  const TensorOptions like{.dtype = a.is_floating_point() ? a.dtype() : DType::f32,
                           .device = a.device()};
  Tolerances given{atol.to_tensor(like), rtol.to_tensor(like)};
  for (Tensor* t : {&given.atol, &given.rtol}) {
    if (!t->defined()) continue;
    if (t->dtype() != DType::f32 && t->dtype() != DType::f64 && t->is_floating_point())
      fail<DTypeError>("{}: tolerances of dtype {} are not supported", op, t->dtype());
    *t = t->to(a.dtype());
  }
  const bool has_atol = given.atol.defined();
  if (!has_atol) given.atol = full({}, 0.0, like);
  if (given.rtol.defined()) return given;
  const double standard = epsilon_of(a) * static_cast<double>(std::max(a.size(-2), a.size(-1)));
  const Tensor relative = full({}, standard, like);
  given.rtol = has_atol ? where(given.atol.gt(0), zeros_like(relative), relative) : relative;
  return given;
}

Tensor pinv_within(const Tensor& a, const Tolerances& t, bool hermitian) {
  Shape batch = drop_last_dims(a.shape(), 2);
  broadcast_into(batch, t.atol.shape(), "linalg.pinv");
  broadcast_into(batch, t.rtol.shape(), "linalg.pinv");
  Shape matrices = batch;
  matrices.push_back(a.size(-2)), matrices.push_back(a.size(-1));
  return run(Pinv{hermitian}, a.expand(matrices), t.atol.detach().expand(batch),
             t.rtol.detach().expand(batch));
}

Tensor rank_within(const Tensor& a, const Tolerances& t, bool hermitian) {
  const Tensor x = a.detach();
  const Tensor s = hermitian ? linalg::eigvalsh(x).abs() : linalg::svdvals(x);
  if (s.size(-1) == 0)
    return zeros(drop_last_dims(a.shape(), 2), {.dtype = DType::i64, .device = a.device()});
  const Tensor limit = maximum(t.atol, t.rtol * s.amax(-1));
  return s.gt(limit.unsqueeze(-1)).sum(-1);
}

/// Square root of a symmetric matrix. Its gradient does not contain those of the eigenvectors,
/// which are infinite for repeated eigenvalues.
struct MatrixSqrth : autograd::Function<MatrixSqrth> {
  /// Eigenvectors and roots of the eigenvalues. Rounding makes eigenvalues of 0 negative.
  struct Roots {
    Tensor vectors, values;

    Roots() = default;
    explicit Roots(const Tensor& a) {
      const auto [eigenvalues, v] = linalg::eigh(a);
      vectors = v, values = eigenvalues.clamp_min(0).sqrt();
    }
  };

  static Tensor forward(autograd::Context& ctx, const Tensor& a) {
    const Roots roots(a);
    ctx.state<Roots>() = roots;
    ctx.save_for_backward({a});
    return (roots.vectors * roots.values.unsqueeze(-2)).matmul(roots.vectors.mT());
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    // The root X of A satisfies dX X + X dX = dA.
    const auto& [v, roots] = is_grad_enabled() ? Roots(ctx.saved_tensors()[0]) : ctx.state<Roots>();
    const Tensor sums = roots.unsqueeze(-1) + roots.unsqueeze(-2);
    const Tensor g = v.matmul(v.mT().matmul(grads[0]).matmul(v) / sums).matmul(v.mT());
    return {(g + g.mT()) * 0.5};
  }
};

}  // namespace

namespace linalg {

Tolerance::Tolerance(const Tensor& tensor) : tensor_(tensor) {
  if (!tensor.defined()) fail<ValueError>("Tolerance: the tensor is undefined");
}
Tensor Tolerance::to_tensor(const TensorOptions& options) const {
  return number_ ? full({}, *number_, options) : tensor_;
}

Tensor pinv(const Tensor& a, const Tolerance& atol, const Tolerance& rtol, bool hermitian) {
  return pinv_within(a, tolerances(a, atol, rtol, "linalg.pinv"), hermitian);
}
Tensor matrix_rank(const Tensor& a, const Tolerance& atol, const Tolerance& rtol, bool hermitian) {
  return rank_within(a, tolerances(a, atol, rtol, "linalg.matrix_rank"), hermitian);
}

Tensor matrix_power(const Tensor& a, IntArg n) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::lower_precision, linalg::matrix_power, a, n);
  check_matrix(a, "linalg.matrix_power", true);
  std::int64_t power = n;
  if (power == 0) {
    const Tensor one = eye(a.size(-1), a.size(-1), {.dtype = a.dtype(), .device = a.device()});
    return where(zeros(a.shape(), {.dtype = DType::bool_, .device = a.device()}), a, one);
  }
  Tensor square = power < 0 ? inv(a) : a, result;
  std::uint64_t rest =
      power < 0 ? 0 - static_cast<std::uint64_t>(power) : static_cast<std::uint64_t>(power);
  if (rest == 1) return square.clone();
  for (; rest != 0; rest >>= 1) {
    if (rest & 1) result = result.defined() ? result.matmul(square) : square;
    if (rest > 1) square = square.matmul(square);
  }
  return result;
}
Tensor matrix_sqrth(const Tensor& a) { return MatrixSqrth::apply(a); }
std::pair<Tensor, Tensor> polar(const Tensor& a) {
  check_matrix(a, "linalg.polar");
  if (a.size(-2) < a.size(-1))
    fail<ShapeError>(
        "linalg.polar: expected matrices with at least as many rows as columns: got {}", a.shape());
  const auto [u, s, vh] = linalg::svd(a, false);
  return {u.matmul(vh), (vh.mT() * s.unsqueeze(-2)).matmul(vh)};
}

namespace {

/// Returns the first of the equal results for the matrices to which a batch of `shape` was
/// expanded. Empty tensors are results that were not computed.
Tensor of_batch(Tensor result, const Shape& shape) {
  for (std::size_t d = 0; result.numel() > 0 && d + 2 < shape.size(); ++d)
    result = result.narrow(static_cast<std::int64_t>(d), 0, shape[d]);
  return result;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& a, const Tensor& b,
                                                 std::optional<double> rcond,
                                                 std::string_view driver) {
  check_matrix(a, "linalg.lstsq");
  if (driver != "gels" && driver != "gelsy" && driver != "gelsd" && driver != "gelss")
    fail<ValueError>(
        "linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss): got '{}'",
        driver);
  if (b.dim() < 1)
    fail<ShapeError>("linalg.lstsq: other must have at least 1 dimension: got shape {}", b.shape());
  if (b.dim() > a.dim() || b.dim() + 1 < a.dim())
    fail<ShapeError>(
        "linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - "
        "other.dim()) <= 1: got shapes {} and {}",
        a.shape(), b.shape());
  const bool vectors = has_vectors(a, b);
  const Tensor columns = vectors ? b.unsqueeze(-1) : b;
  const std::int64_t m = a.size(-2), n = a.size(-1);
  const double limit = rcond.value_or(epsilon_of(a) * static_cast<double>(std::max(m, n)));
  const auto [x, y] = broadcast_batches(a, columns, "linalg.lstsq");
  const auto [solution, rank, values] = run_all(Lstsq{limit, std::string(driver)}, x, y);
  // Empty, but a result of the same function for differentiation.
  Tensor residuals = solution.reshape({-1}).narrow(0, 0, 0);
  if (m > n && driver != "gelsy") {
    const bool full_rank = driver == "gels" || rank.eq(n).all().item<bool>();
    if (full_rank) residuals = (x.matmul(solution) - y).square().sum(-2);
  }
  return {vectors ? solution.squeeze({-1}) : solution, residuals,
          of_batch(rank.to(DType::i64), a.shape()), of_batch(values, a.shape())};
}

Tensor tensorinv(const Tensor& a, IntArg ind) {
  if (ind <= 0)
    fail<ValueError>("linalg.tensorinv: Expected a strictly positive integer for 'ind'");
  Shape front, back;
  std::int64_t rows = 1, cols = 1;
  for (std::int64_t d = 0; d < a.dim(); ++d) {
    (d < ind ? front : back).push_back(a.size(d));
    (d < ind ? rows : cols) *= a.size(d);
  }
  if (rows != cols)
    fail<ShapeError>(
        "linalg.tensorinv: Expected self to satisfy the requirement prod(self.shape[ind:]) == "
        "prod(self.shape[:ind]), but got {} != {}",
        cols, rows);
  for (const std::int64_t size : front) back.push_back(size);
  return inv(a.reshape({rows, cols})).reshape(back);
}
Tensor tensorsolve(const Tensor& a, const Tensor& b, const std::optional<Dims>& dims) {
  Tensor moved = a;
  if (dims) {
    Shape order, end;
    std::vector<bool> chosen(a.shape().size());
    for (const std::int64_t d : *dims) {
      const std::int64_t at = wrap_dim(d, a.shape().size(), "linalg.tensorsolve");
      chosen[static_cast<std::size_t>(at)] = true;
      end.push_back(at);
    }
    for (std::size_t d = 0; d < chosen.size(); ++d)
      if (!chosen[d]) order.push_back(static_cast<std::int64_t>(d));
    for (const std::int64_t d : end) order.push_back(d);
    moved = a.permute(order);
  }
  Shape result;
  std::int64_t cols = 1;
  for (std::int64_t d = b.dim(); d < moved.dim(); ++d)
    result.push_back(moved.size(d)), cols *= moved.size(d);
  if (cols != b.numel() || moved.numel() != cols * b.numel())
    fail<ShapeError>(
        "linalg.tensorsolve: Expected self to satisfy the requirement prod(self.shape[other.ndim:])"
        " == prod(self.shape[:other.ndim]), but got shapes {} and {}",
        a.shape(), b.shape());
  return solve(moved.reshape({b.numel(), cols}), b.reshape({-1})).reshape(result);
}

namespace {

std::pair<std::int64_t, std::int64_t> matrix_dims(const Tensor& a, const Dims& dim) {
  if (dim.size() != 2) fail<ShapeError>("linalg.matrix_norm: dim must be a 2-tuple. Got {}", dim);
  if (a.dim() < 2)
    fail<ShapeError>(
        "linalg.matrix_norm: The input tensor A must have at least 2 dimensions: got shape {}",
        a.shape());
  const auto r = wrap_dim(dim[0], a.shape().size(), "linalg.matrix_norm"),
             c = wrap_dim(dim[1], a.shape().size(), "linalg.matrix_norm");
  if (r == c) fail<ValueError>("linalg.matrix_norm: dims must be different. Got ({}, {})", r, c);
  return {r, c};
}

/// Returns the singular values of the matrices in two dimensions, in place of the last dimension.
Tensor singular_values(const Tensor& a, std::int64_t r, std::int64_t c) {
  Shape order;
  for (std::int64_t d = 0; d < a.dim(); ++d)
    if (d != r && d != c) order.push_back(d);
  order.push_back(r), order.push_back(c);
  return svdvals(a.permute(order));
}
/// Returns the largest elements along a dimension, of which those of an empty one are 0 as norms
/// are, or the smallest, which an empty dimension does not have.
Tensor extreme_of(const Tensor& x, std::int64_t dim, bool largest, bool keepdim) {
  if (!largest) return x.amin(dim, keepdim);
  return x.size(dim) == 0 ? x.sum(dim, keepdim) : x.amax(dim, keepdim);
}
Tensor restore_dims(Tensor x, std::int64_t r, std::int64_t c, bool keepdim) {
  if (!keepdim) return x;
  return x.unsqueeze(std::min(r, c)).unsqueeze(std::max(r, c));
}

}  // namespace

Tensor matrix_norm(const Tensor& input, NotNull<std::string_view> order, const Dims& dim,
                   bool keepdim, std::optional<DType> dtype) {
  const std::string_view ord = order;
  const auto [r, c] = matrix_dims(input, dim);
  const Tensor a = dtype ? input.to(*dtype) : input;
  if (ord == "fro") return vector_norm(a, 2, {r, c}, keepdim);
  if (ord != "nuc") fail<ValueError>("linalg.matrix_norm: Order {} not supported.", ord);
  return restore_dims(singular_values(a, r, c).sum(-1), r, c, keepdim);
}
Tensor matrix_norm(const Tensor& input, const Scalar& ord, const Dims& dim, bool keepdim,
                   std::optional<DType> dtype) {
  const auto [r, c] = matrix_dims(input, dim);
  const Tensor a = dtype ? input.to(*dtype) : input;
  const double p = ord.to_double(), size = std::abs(p);
  if (size != 1 && size != 2 && !std::isinf(size))
    fail<ValueError>("linalg.matrix_norm: Order {} not supported.", p);
  if (!a.is_floating_point())
    fail<DTypeError>("linalg.matrix_norm: Expected a floating point or complex tensor: got {}",
                     a.dtype());
  if (size == 2) {
    const Tensor s = singular_values(a, r, c);
    return restore_dims(extreme_of(s, -1, p > 0, false), r, c, keepdim);
  }
  // The order 1 sums columns, that is over rows; inf sums rows.
  const std::int64_t summed = size == 1 ? r : c, other = size == 1 ? c : r;
  const Tensor sums = vector_norm(a, 1, summed, true);
  const Tensor extreme = extreme_of(sums, other, p > 0, true);
  return keepdim ? extreme : extreme.squeeze({r, c});
}

Tensor norm(const Tensor& a, const std::optional<Scalar>& ord, const std::optional<Dims>& dim,
            bool keepdim, std::optional<DType> dtype) {
  if (dim && dim->size() != 1 && dim->size() != 2)
    fail<ShapeError>("linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", *dim);
  if (ord && !dim && a.dim() != 1 && a.dim() != 2)
    fail<ShapeError>(
        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
        a.dim());
  if (ord && ((dim && dim->size() == 2) || (!dim && a.dim() == 2)))
    return matrix_norm(a, *ord, dim ? *dim : Dims{0, 1}, keepdim, dtype);
  return vector_norm(a, ord.value_or(2), dim.value_or(Dims()), keepdim, dtype);
}
Tensor norm(const Tensor& a, NotNull<std::string_view> order, const std::optional<Dims>& dim,
            bool keepdim, std::optional<DType> dtype) {
  const std::string_view ord = order;
  if (dim ? dim->size() != 1 && dim->size() != 2 : a.dim() != 2)
    fail<ShapeError>("linalg.norm: order '{}' requires a matrix: got shape {}", ord, a.shape());
  return matrix_norm(a, ord, dim ? *dim : Dims{0, 1}, keepdim, dtype);
}

Tensor cond(const Tensor& a, const std::optional<Scalar>& p) {
  check_matrix(a, "linalg.cond");
  if (!p || std::abs(p->to_double()) == 2) {
    const Tensor s = svdvals(a);
    if (s.size(-1) == 0)
      return zeros(drop_last_dims(a.shape(), 2), {.dtype = a.dtype(), .device = a.device()});
    const Tensor largest = s.select(-1, 0), smallest = s.select(-1, -1);
    return p && p->to_double() < 0 ? smallest / largest : largest / smallest;
  }
  check_matrix(a, "linalg.cond", true);
  const auto [inverse, info] = inv_ex(a);
  const Tensor product = matrix_norm(a, *p) * matrix_norm(inverse, *p);
  return where(info.ne(0), full_like(product, INFINITY), product);
}
Tensor cond(const Tensor& a, std::string_view p) {
  check_matrix(a, "linalg.cond", true);
  const auto [inverse, info] = inv_ex(a);
  const Tensor safe = where(info.ne(0).unsqueeze(-1).unsqueeze(-1), zeros_like(inverse), inverse);
  const Tensor product = matrix_norm(a, p) * matrix_norm(safe, p);
  return where(info.ne(0), full_like(product, INFINITY), product);
}

Tensor multi_dot(std::span<const Tensor> tensors) {
  if (tensors.size() < 2)
    fail<ValueError>("linalg.multi_dot: expected at least 2 tensors but got {}", tensors.size());
  std::vector<Tensor> matrices(tensors.begin(), tensors.end());
  const bool row = matrices.front().dim() == 1, column = matrices.back().dim() == 1;
  if (row) matrices.front() = matrices.front().unsqueeze(0);
  if (column) matrices.back() = matrices.back().unsqueeze(1);
  const Tensor product = named_call("linalg.multi_dot", [&] { return chain_matmul(matrices); });
  if (row && column) return product.reshape({});
  return row ? product.squeeze({0}) : column ? product.squeeze({1}) : product;
}
Tensor multi_dot(std::initializer_list<Tensor> tensors) {
  return multi_dot(std::span(tensors.begin(), tensors.size()));
}
Tensor vecdot(const Tensor& x, const Tensor& y, IntArg dim) {
  if (tls.autocast) return autocast_call(AutocastPolicy::lower_precision, vecdot, x, y, dim);
  if (!x.is_floating_point())
    fail<DTypeError>("linalg.vecdot: Expected a floating point or complex tensor as input. Got {}",
                     legacy_name(x.dtype()));
  if (x.dtype() != y.dtype())
    fail<DTypeError>(
        "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of "
        "type {} instead",
        legacy_name(x.dtype()), legacy_name(y.dtype()));
  return named_call("linalg.vecdot", [&] {
    const Tensor product = x * y;
    return product.sum(static_cast<std::int64_t>(dim), false, product.dtype());
  });
}
Tensor cross(const Tensor& a, const Tensor& b, IntArg dim) {
  if (a.dim() != b.dim())
    fail<ShapeError>(
        "linalg.cross: inputs must have the same number of dimensions: got shapes {} and {}",
        a.shape(), b.shape());
  if (a.size(dim) != 3 || b.size(dim) != 3)
    fail<ShapeError>("linalg.cross: inputs dimension {} must have length 3. Got {} and {}", dim,
                     a.size(dim), b.size(dim));
  return taper::cross(a, b, dim);
}
Tensor diagonal(const Tensor& a, IntArg offset, IntArg dim1, IntArg dim2) {
  return taper::diagonal(a, offset, dim1, dim2);
}
Tensor vander(const Tensor& input, std::optional<IntArg> n) {
  const Tensor x = input.dim() == 0 ? input.unsqueeze(0) : input;
  const std::int64_t count = n.value_or(x.size(-1));
  if (count <= 1) fail<ValueError>("linalg.vander: N must be greater than 1: got {}", count);
  Shape shape = x.shape();
  shape.push_back(count - 1);
  const DType dtype = is_floating_point(x.dtype()) ? x.dtype() : DType::i64;
  const Tensor factors = x.to(dtype).unsqueeze(-1);
  const Tensor powers = factors.expand(shape).cumprod(-1);
  return cat({ones_like(factors), powers}, -1).narrow(-1, 0, count);
}
Tensor matmul(const Tensor& a, const Tensor& b) { return taper::matmul(a, b); }
Tensor matrix_exp(const Tensor& a) { return taper::matrix_exp(a); }

}  // namespace linalg

Tensor pinverse(const Tensor& x, double rcond) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, pinverse, x, rcond);
  return linalg::pinv(x, 0.0, rcond);
}
Tensor matrix_power(const Tensor& x, IntArg n) { return linalg::matrix_power(x, n); }
Tensor trace(const Tensor& x) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, trace, x);
  if (x.dim() != 2)
    fail<ShapeError>("trace: expected a matrix, but got tensor with dim {}", x.dim());
  return x.diagonal().sum();
}

}  // namespace taper
