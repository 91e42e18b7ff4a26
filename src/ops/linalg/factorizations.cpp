// Functions that factor matrices, and solutions of linear systems by factors.
#include "ops/autocast.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/infos.h"
#include "ops/linalg/solve.h"
#include "ops/promote.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

bool needs_gradient(const Tensor& a) { return is_grad_enabled() && a.requires_grad(); }

void reject_unpivoted(bool pivot, const char* op) {
  if (!pivot)
    fail<NotImplementedError>("{}: LU without pivoting is not implemented on the CPU", op);
}

void check_cholesky_solve(const Tensor& b, const Tensor& factor) {
  if (b.dim() < 2)
    fail<ShapeError>(
        "cholesky_solve: b should have at least 2 dimensions, but has {} dimensions instead",
        b.dim());
  if (factor.dim() < 2)
    fail<ShapeError>(
        "cholesky_solve: u should have at least 2 dimensions, but has {} dimensions instead",
        factor.dim());
  check_matrix(factor, "cholesky_solve", true);
  if (factor.size(-1) != b.size(-2))
    fail<ShapeError>(
        "cholesky_solve: Incompatible matrix sizes: each A matrix is {} by {} but each b matrix is "
        "{} by {}",
        factor.size(-2), factor.size(-1), b.size(-2), b.size(-1));
}

/// Throws LinAlgError if a diagonal element of a factor is zero, as LAPACK's potri reports.
void reject_zero_diagonal(const Tensor& factor) {
  if (factor.device().is_meta()) return;
  const Tensor zero = factor.diagonal(0, -2, -1).eq(0);
  if (!zero.any().item<bool>()) return;
  const Tensor position = (zero.to(DType::i32).argmax(-1) + 1) * zero.any(-1);
  check_infos(position.to(DType::i32), "cholesky_inverse", [](std::int64_t at) {
    return format_message(
        "The diagonal element {} is zero, the inversion could not be completed because the input "
        "matrix is singular.",
        at);
  });
}

/// Solves L L^T X = B.
Tensor solve_by_factor(const Tensor& b, const Tensor& l) {
  return linalg::solve_triangular(l.mT(), linalg::solve_triangular(l, b, false), true);
}

Tensor empty_part(const Tensor& like) {
  return empty(Shape(0), {.dtype = like.dtype(), .device = like.device()});
}

}  // namespace

namespace linalg {

std::pair<Tensor, Tensor> cholesky_ex(const Tensor& input, bool upper, bool check_errors) {
  auto [factor, info] = run_all(CholeskyEx{upper}, input);
  if (check_errors)
    check_infos(info, "linalg.cholesky", [](std::int64_t order) {
      return format_message(
          "The factorization could not be completed because the input is not positive-definite "
          "(the leading minor of order {} is not positive-definite).",
          order);
    });
  return {factor, info};
}
Tensor cholesky(const Tensor& input, bool upper) { return cholesky_ex(input, upper, true).first; }

std::pair<Tensor, Tensor> qr(const Tensor& a, std::string_view mode) {
  auto [q, r] = run_all(Qr{std::string(mode)}, a);
  return {q, r};
}
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& a, bool full_matrices) {
  auto [u, s, vh] = run_all(Svd{full_matrices, true}, a);
  return {u, s, vh};
}
Tensor svdvals(const Tensor& a) { return run_all(Svd{false, needs_gradient(a)}, a)[1]; }
std::pair<Tensor, Tensor> eigh(const Tensor& a, std::string_view uplo) {
  auto [values, vectors] = run_all(Eigh{std::string(uplo), true}, a);
  return {values, vectors};
}
Tensor eigvalsh(const Tensor& a, std::string_view uplo) {
  return run_all(Eigh{std::string(uplo), needs_gradient(a)}, a)[0];
}

std::tuple<Tensor, Tensor, Tensor> lu_factor_ex(const Tensor& a, bool pivot, bool check_errors) {
  reject_unpivoted(pivot, "linalg.lu_factor");
  auto [lu, pivots, info] = run_all(LuFactorEx{}, a);
  if (check_errors)
    check_infos(info, "linalg.lu_factor", [](std::int64_t at) {
      return format_message(
          "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you "
          "still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
          "linalg.lu_factor_ex(A, pivot)",
          at);
    });
  return {lu, pivots, info};
}
std::pair<Tensor, Tensor> lu_factor(const Tensor& a, bool pivot) {
  auto [lu, pivots, info] = lu_factor_ex(a, pivot, true);
  return {lu, pivots};
}
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& a, bool pivot) {
  reject_unpivoted(pivot, "linalg.lu");
  const auto [lu, pivots, info] = lu_factor_ex(a);
  return lu_unpack(lu, pivots);
}

std::pair<Tensor, Tensor> inv_ex(const Tensor& a, bool check_errors) {
  auto [inverse, info] = run_all(InvEx{}, a);
  if (check_errors)
    check_infos(info, "linalg.inv", [](std::int64_t at) {
      return format_message(
          "The diagonal element {} is zero, the inversion could not be completed because the input "
          "matrix is singular.",
          at);
    });
  return {inverse, info};
}
Tensor inv(const Tensor& a) { return inv_ex(a, true).first; }
Tensor det(const Tensor& a) { return run(Det{}, a); }
std::pair<Tensor, Tensor> slogdet(const Tensor& a) {
  auto [sign, log] = run_all(Slogdet{}, a);
  return {sign, log};
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left,
                        bool unitriangular) {
  // As in PyTorch, B is converted to the dtype of A.
  const auto [x, y] = broadcast_batches(a, b.to(a.dtype()), "linalg.solve_triangular");
  return run(SolveTriangular{upper, left, unitriangular}, x, y);
}

Tensor lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint) {
  if (b.dim() < 2 || lu.dim() < 2 || lu.size(-2) != lu.size(-1) ||
      lu.size(-1) != b.size(left ? -2 : -1) || pivots.shape() != drop_last_dims(lu.shape(), 1))
    fail<ShapeError>(
        "linalg.lu_solve: incompatible shapes: got LU {}, pivots {} and B {} for left={}",
        lu.shape(), pivots.shape(), b.shape(), left);
  // X A = B is A^T X^T = B^T.
  if (!left) return lu_solve(lu, pivots, b.mT(), true, !adjoint).mT();
  const auto [p, l, u] = lu_unpack(lu, pivots);
  if (!adjoint)
    return solve_triangular(u, solve_triangular(l, p.mT().matmul(b), false, true, true), true);
  return p.matmul(solve_triangular(l.mT(), solve_triangular(u.mT(), b, false), true, true, true));
}

}  // namespace linalg

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& lu, const Tensor& pivots,
                                             bool unpack_data, bool unpack_pivots) {
  if (lu.dim() < 2)
    fail<ShapeError>("lu_unpack: LU_data must have at least 2 dimensions: got shape {}",
                     lu.shape());
  const std::int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  const TensorOptions like{.dtype = lu.dtype(), .device = lu.device()};
  Tensor p = empty_part(lu), l = p, u = p;
  if (unpack_data) {
    l = lu.narrow(-1, 0, k).tril(-1) + eye(m, k, like);
    u = lu.narrow(-2, 0, k).triu();
  }
  if (unpack_pivots) {
    if (pivots.dtype() != DType::i32)
      fail<DTypeError>(
          "lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype: got "
          "{}",
          pivots.dtype());
    Shape expected = drop_last_dims(lu.shape(), 2), rows = expected;
    expected.push_back(k), rows.push_back(m);
    if (pivots.shape() != expected)
      fail<ShapeError>("lu_unpack: expected LU_pivots of shape {}: got {}", expected,
                       pivots.shape());
    // The exchanges of rows, applied to the numbers of the rows.
    const Tensor swaps = pivots.cpu().contiguous();
    const Tensor order = empty(rows, {.dtype = DType::i64});
    std::int64_t* row = order.mutable_data_ptr<std::int64_t>();
    const std::int32_t* swap = swaps.const_data_ptr<std::int32_t>();
    for (std::int64_t batch = m ? order.numel() / m : 0; batch-- > 0; row += m, swap += k) {
      for (std::int64_t i = 0; i < m; ++i) row[i] = i;
      for (std::int64_t i = 0; i < k; ++i) {
        if (swap[i] < 1 || swap[i] > m)
          fail<IndexError>("lu_unpack: pivots must be in [1, {}]: got {}", m, swap[i]);
        std::swap(row[i], row[swap[i] - 1]);
      }
    }
    p = eye(m, m, like).expand([&] {
      Shape s = drop_last_dims(lu.shape(), 2);
      s.push_back(m), s.push_back(m);
      return s;
    }());
    p = take_along_dim(p, order.to(lu.device()).unsqueeze(-2).expand(p.shape()), -1);
  }
  return {p, l, u};
}

Tensor lu_solve(const Tensor& b, const Tensor& lu, const Tensor& pivots) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, lu_solve, b, lu, pivots);
  return linalg::lu_solve(lu, pivots, b);
}
Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, cholesky_solve, b, factor, upper);
  check_cholesky_solve(b, factor);
  const Tensor l = upper ? factor.mT() : factor;
  if (!needs_gradient(factor)) return solve_by_factor(b, l);
  // The gradient is that of a matrix whose other triangle happens to be zero, as in PyTorch.
  const Tensor whole = l - l.triu(1).detach();
  return solve_matrices(whole.matmul(whole.mT()), b).first;
}
Tensor cholesky_inverse(const Tensor& factor, bool upper) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, cholesky_inverse, factor, upper);
  check_matrix(factor, "cholesky_inverse", true);
  const Tensor one =
      eye(factor.size(-1), factor.size(-1), {.dtype = factor.dtype(), .device = factor.device()});
  const Tensor inverse = cholesky_solve(one, factor, upper);
  reject_zero_diagonal(factor.detach());
  return inverse;
}
std::pair<Tensor, Tensor> triangular_solve(const Tensor& b, const Tensor& a, bool upper,
                                           bool transpose, bool unitriangular) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, triangular_solve, b, a, upper, transpose,
                         unitriangular);
  const Tensor x = transpose ? linalg::solve_triangular(a.mT(), b, !upper, true, unitriangular)
                             : linalg::solve_triangular(a, b, upper, true, unitriangular);
  return {x, broadcast_batches(a, b, "triangular_solve").first.clone()};
}
Tensor orgqr(const Tensor& input, const Tensor& tau) {
  return linalg::householder_product(input, tau);
}
Tensor ormqr(const Tensor& input, const Tensor& tau, const Tensor& other, bool left,
             bool transpose) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, ormqr, input, tau, other, left, transpose);
  const bool is_batch = input.dim() >= 2 && other.dim() == input.dim() &&
                        tau.dim() + 1 == input.dim() &&
                        drop_last_dims(other.shape(), 2) == drop_last_dims(input.shape(), 2) &&
                        drop_last_dims(tau.shape(), 1) == drop_last_dims(input.shape(), 2);
  if (!is_batch)
    fail<ShapeError>(
        "ormqr: Expected input, tau and other with the same batch dimensions, where tau has one "
        "dimension less: got shapes {}, {} and {}",
        input.shape(), tau.shape(), other.shape());
  const std::int64_t m = other.size(left ? -2 : -1), k = tau.size(-1);
  if (input.size(-2) != m || k > m)
    fail<ShapeError>("ormqr: other.shape[{}] must be equal to input.shape[-2]: got {} and {}",
                     left ? -2 : -1, other.shape(), input.shape());
  if (k != std::min(m, input.size(-1)))
    fail<ShapeError>(
        "ormqr: tau.shape[-1] must be equal to min(other.shape[{}], input.shape[-1]): got shapes "
        "{} and {}",
        left ? -2 : -1, tau.shape(), input.shape());
  Shape rest = drop_last_dims(input.shape(), 1);
  rest.push_back(m - k);
  const Tensor vectors =
      cat({input.narrow(-1, 0, k), zeros(rest, {.dtype = input.dtype(), .device = input.device()})},
          -1);
  const Tensor full = linalg::householder_product(vectors, tau), q = transpose ? full.mT() : full;
  return left ? q.matmul(other) : other.matmul(q);
}

Tensor det(const Tensor& x) { return linalg::det(x); }
std::pair<Tensor, Tensor> slogdet(const Tensor& x) { return linalg::slogdet(x); }
Tensor inverse(const Tensor& x) { return linalg::inv(x); }
Tensor logdet(const Tensor& x) {
  const auto [sign, log] = linalg::slogdet(x);
  return where(sign.eq(-1), full_like(log, std::numeric_limits<double>::quiet_NaN()), log);
}
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& x, bool some, bool compute_uv) {
  if (compute_uv) {
    const auto [u, s, vh] = linalg::svd(x, !some);
    return {u, s, vh.mT()};
  }
  const Tensor s = linalg::svdvals(x);
  Shape u = drop_last_dims(x.shape(), 2), v = u;
  u.push_back(x.size(-2)), u.push_back(x.size(-2));
  v.push_back(x.size(-1)), v.push_back(x.size(-1));
  const TensorOptions like{.dtype = x.dtype(), .device = x.device()};
  return {zeros(u, like), s, zeros(v, like)};
}

}  // namespace taper
