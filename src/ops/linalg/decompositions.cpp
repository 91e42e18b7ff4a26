// Shapes and gradients of matrix decompositions.
#include "ops/linalg/decompositions.h"

#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/ops/decomposition.h"

namespace taper {
namespace {

std::int64_t rows_of(const Shape& s) { return s[s.size() - 2]; }
Shape matrix_shape(const Shape& like, std::int64_t rows, std::int64_t cols) {
  Shape s = drop_last_dims(like, 2);
  s.push_back(rows), s.push_back(cols);
  return s;
}
Shape vector_shape(const Shape& like, std::int64_t size) {
  Shape s = drop_last_dims(like, 2);
  s.push_back(size);
  return s;
}
Tensor solve_upper(const Tensor& a, const Tensor& b, bool left = true) {
  return linalg::solve_triangular(a, b, true, left);
}
Tensor solve_lower(const Tensor& a, const Tensor& b, bool left = true) {
  return linalg::solve_triangular(a, b, false, left);
}
Tensor identity_like(const Tensor& a) {
  return eye(a.size(-2), a.size(-1), {.dtype = a.dtype(), .device = a.device()});
}

}  // namespace

void CholeskyEx::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  i.set_output(i.shape(0), i.dtype(0));
  i.set_output(drop_last_dims(i.shape(0), 2), DType::i32);
}
// The gradient with respect to the symmetric matrix.
void CholeskyEx::backward(BackwardContext<CholeskyEx>& b) const {
  const Tensor &factor = b.output<0>(), &grad = b.grad();
  const Tensor l = upper ? factor.mT() : factor, g = upper ? grad.mT() : grad;
  const Tensor product = l.mT().matmul(g);
  const Tensor phi = (product.tril() + product.tril(-1).mT()) * 0.5;
  b[0] = solve_lower(l, solve_upper(l.mT(), phi), false);
}

void LuFactorEx::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", false);
  const Shape& a = i.shape(0);
  i.set_output(a, i.dtype(0));
  i.set_output(vector_shape(a, std::min(rows_of(a), a.back())), DType::i32);
  i.set_output(drop_last_dims(a, 2), DType::i32);
}
// Blocks grad_a2 the leading square block [L1 U1] satisfy U2 = L1^-1 P^T A2 and L2 = A2 U1^-1.
void LuFactorEx::backward(BackwardContext<LuFactorEx>& b) const {
  const Tensor& lu = b.output<0>();
  const auto [p, l, u] = lu_unpack(lu, b.output<1>());
  const std::int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  const Tensor gl = b.grad().narrow(-1, 0, k).tril(-1), gu = b.grad().narrow(-2, 0, k).triu();
  const Tensor l1 = l.narrow(-2, 0, k), u1 = u.narrow(-1, 0, k);
  Tensor phi_l = l1.mT().matmul(gl.narrow(-2, 0, k)), phi_u = gu.narrow(-1, 0, k).matmul(u1.mT());
  Tensor grad_a2;
  if (m < n) {
    const Tensor gu2 = gu.narrow(-1, k, n - k);
    phi_l = phi_l - gu2.matmul(u.narrow(-1, k, n - k).mT());
    grad_a2 = linalg::solve_triangular(l1.mT(), gu2, true, true, true);
  } else if (m > n) {
    const Tensor gl2 = gl.narrow(-2, k, m - k);
    phi_u = phi_u - l.narrow(-2, k, m - k).mT().matmul(gl2);
    grad_a2 = solve_lower(u1.mT(), gl2, false);
  }
  Tensor g = solve_lower(u1.mT(), phi_l.tril(-1) + phi_u.triu(), false);
  g = linalg::solve_triangular(l1.mT(), g, true, true, true);
  if (grad_a2.defined()) g = cat({g, grad_a2}, m < n ? -1 : -2);
  b[0] = p.matmul(g);
}

void InvEx::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  i.set_output(i.shape(0), i.dtype(0));
  i.set_output(drop_last_dims(i.shape(0), 2), DType::i32);
}
void InvEx::backward(BackwardContext<InvEx>& b) const {
  const Tensor t = b.output<0>().mT();
  b[0] = -t.matmul(b.grad()).matmul(t);
}

void Det::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  i.set_output(drop_last_dims(i.shape(0), 2), i.dtype(0));
}
// The gradient is the matrix of cofactors. That of a singular matrix follows from its singular
// values: det(U) det(Vh) U diag(products of the others) Vh.
void Det::backward(BackwardContext<Det>& b) const {
  const Tensor &a = b.input<0>(), &det = b.output<0>();
  const Tensor g = b.grad().unsqueeze(-1).unsqueeze(-1);
  if (a.size(-1) == 1) {  // the determinant is the element, whose second derivative is exactly 0
    b[0] = g;
    return;
  }
  if (a.device().is_meta() || det.detach().ne(0).all().item<bool>()) {
    b[0] = g * det.unsqueeze(-1).unsqueeze(-1) * linalg::inv_ex(a).first.mT();
    return;
  }
  const auto [u, s, vh] = linalg::svd(a, false);
  const std::int64_t n = s.size(-1);
  // Row i of the matrix has s with its element i replaced by 1.
  const Tensor one = identity_like(a);
  const Tensor others = (s.unsqueeze(-2) * (1 - one) + one).prod(-1);
  const Tensor sign = linalg::det(u) * linalg::det(vh);
  b[0] = n == 0 ? zeros_like(a)
                : g * sign.detach().unsqueeze(-1).unsqueeze(-1) *
                      (u * others.unsqueeze(-2)).matmul(vh);
}

void Slogdet::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  i.set_output(drop_last_dims(i.shape(0), 2), i.dtype(0));
  i.set_output(drop_last_dims(i.shape(0), 2), i.dtype(0));
}
void Slogdet::backward(BackwardContext<Slogdet>& b) const {
  b[0] = b.grad(1).unsqueeze(-1).unsqueeze(-1) * linalg::inv_ex(b.input<0>()).first.mT();
}

void SolveTriangular::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", true);
  check_matrices(i, 1, "B", false);
  const Shape &a = i.shape(0), &b = i.shape(1);
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("Expected A and B to have the same dtype, but got {} and {}", i.dtype(0),
                       i.dtype(1));
  if (drop_last_dims(a, 2) != drop_last_dims(b, 2) || a.back() != (left ? rows_of(b) : b.back()))
    i.fail("Incompatible shapes of A and B for the equation {}: got {} and {}",
           left ? "AX = B" : "XA = B", a, b);
  i.set_output(b, i.dtype(1));
}
void SolveTriangular::backward(BackwardContext<SolveTriangular>& b) const {
  const Tensor& x = b.output<0>();
  const Tensor g =
      linalg::solve_triangular(b.input<0>().mT(), b.grad(), !upper, left, unitriangular);
  b[1] = g;
  if (!b.needs_input_grad(0)) return;
  const Tensor ga = left ? -g.matmul(x.mT()) : -x.mT().matmul(g);
  b[0] = upper ? ga.triu(unitriangular ? 1 : 0) : ga.tril(unitriangular ? -1 : 0);
}

void Qr::infer(ShapeInference& i) const {
  if (mode != "reduced" && mode != "complete" && mode != "r")
    i.fail<ValueError>(
        "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or "
        "'complete'",
        mode);
  check_matrices(i, 0, "A", false);
  const Shape& a = i.shape(0);
  const std::int64_t m = rows_of(a), n = a.back(), k = mode == "complete" ? m : std::min(m, n);
  i.set_output(mode == "r" ? Shape(0) : matrix_shape(a, m, k), i.dtype(0));
  i.set_output(matrix_shape(a, k, n), i.dtype(0));
}
void Qr::backward(BackwardContext<Qr>& b) const {
  if (mode == "r")
    fail<RuntimeError>(
        "linalg.qr: The derivative of linalg.qr depends on Q, which is not computed when "
        "mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to require gradients");
  const Tensor &q = b.output<0>(), &r = b.output<1>();
  const std::int64_t m = q.size(-2), n = r.size(-1);
  if (mode == "complete" && m > n)
    fail<RuntimeError>(
        "linalg.qr: The QR decomposition is not differentiable when mode='complete' and "
        "nrows > ncols");
  const std::int64_t k = std::min(m, n);
  const Tensor r1 = r.narrow(-1, 0, k), gr = b.grad(1).triu();
  Tensor gq = b.grad(0), gr1 = gr.narrow(-1, 0, k);
  Tensor grad_a2;
  if (m < n) {  // A wide A is [Q R1, Q R2] with a square R1: add the gradients through Q R2.
    const Tensor r2 = r.narrow(-1, k, n - k), gr2 = gr.narrow(-1, k, n - k);
    grad_a2 = q.matmul(gr2);
    gq = gq + q.matmul(r2).matmul(gr2.mT());
  }
  const Tensor upper = (gr1.matmul(r1.mT()) - q.mT().matmul(gq)).triu();
  const Tensor symmetric = upper + upper.triu(1).mT();
  const Tensor g = solve_lower(r1.mT(), q.matmul(symmetric) + gq, false);
  b[0] = grad_a2.defined() ? cat({g, grad_a2}, -1) : g;
}

void Svd::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", false);
  const Shape& a = i.shape(0);
  const std::int64_t m = rows_of(a), n = a.back(), k = std::min(m, n);
  i.set_output(compute_uv ? matrix_shape(a, m, full_matrices ? m : k) : Shape(0), i.dtype(0));
  i.set_output(vector_shape(a, k), i.dtype(0));
  i.set_output(compute_uv ? matrix_shape(a, full_matrices ? n : k, n) : Shape(0), i.dtype(0));
}
void Svd::backward(BackwardContext<Svd>& b) const {
  if (!compute_uv) fail<RuntimeError>("linalg.svd: singular vectors are needed for gradients");
  const Tensor& s = b.output<1>();
  const std::int64_t k = s.size(-1);
  const Tensor u = b.output<0>().narrow(-1, 0, k), vh = b.output<2>().narrow(-2, 0, k);
  const std::int64_t m = u.size(-2), n = vh.size(-1);
  const Tensor rows = s.unsqueeze(-1), cols = s.unsqueeze(-2);
  const bool has_u = b.has_grad(0), has_v = b.has_grad(2);
  Tensor inner = diag_embed(b.grad(1));
  if (!has_u && !has_v) {
    b[0] = (u * b.grad(1).unsqueeze(-2)).matmul(vh);
    return;
  }
  const auto skew = [](const Tensor& x) { return x - x.mT(); };
  const Tensor one = eye(k, k, {.dtype = s.dtype(), .device = s.device()});
  const Tensor gaps = (cols - rows) * (cols + rows) + one;
  const Tensor gu = has_u ? b.grad(0).narrow(-1, 0, k) : Tensor(),
               gvh = has_v ? b.grad(2).narrow(-2, 0, k) : Tensor();
  if (has_u) inner = inner + skew(u.mT().matmul(gu)) / gaps * cols;
  if (has_v) inner = inner + rows * (skew(vh.matmul(gvh.mT())) / gaps);
  Tensor g = u.matmul(inner).matmul(vh);
  // Parts of the gradients outside of the spaces of U and V.
  if (m > k && has_u) {
    const Tensor scaled = gu / cols;
    g = g + (scaled - u.matmul(u.mT().matmul(scaled))).matmul(vh);
  }
  if (n > k && has_v) {
    const Tensor scaled = gvh / rows;
    g = g + u.matmul(scaled - scaled.matmul(vh.mT()).matmul(vh));
  }
  b[0] = g;
}

void Eigh::infer(ShapeInference& i) const {
  if (UPLO != "L" && UPLO != "U" && UPLO != "l" && UPLO != "u")
    i.fail<ValueError>("Expected UPLO argument to be 'L' or 'U', but got {}", UPLO);
  check_matrices(i, 0, "A", true);
  i.set_output(drop_last_dims(i.shape(0), 1), i.dtype(0));
  i.set_output(compute_v ? i.shape(0) : Shape(0), i.dtype(0));
}
void Eigh::backward(BackwardContext<Eigh>& b) const {
  if (!compute_v) fail<RuntimeError>("linalg.eigh: eigenvectors are needed for gradients");
  const Tensor &values = b.output<0>(), &v = b.output<1>();
  if (!b.has_grad(1)) {
    b[0] = (v * b.grad(0).unsqueeze(-2)).matmul(v.mT());
    return;
  }
  const Tensor one = identity_like(v);
  const Tensor gaps = values.unsqueeze(-2) - values.unsqueeze(-1) + one;
  const Tensor inner = v.mT().matmul(b.grad(1)) / gaps * (1 - one) + diag_embed(b.grad(0));
  const Tensor g = v.matmul(inner).matmul(v.mT());
  b[0] = (g + g.mT()) * 0.5;
}

void Pinv::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", hermitian);
  const Shape& a = i.shape(0);
  for (const int tolerance : {1, 2}) {
    if (i.shape(tolerance) != drop_last_dims(a, 2))
      i.fail("expected tolerances of shape {}, got {}", drop_last_dims(a, 2), i.shape(tolerance));
    if (i.dtype(tolerance) != i.dtype(0))
      i.fail<DTypeError>("expected tolerances of {}, got {}", i.dtype(0), i.dtype(tolerance));
  }
  i.set_output(matrix_shape(a, a.back(), rows_of(a)), i.dtype(0));
}
void Pinv::backward(BackwardContext<Pinv>& b) const {
  const Tensor &a = b.input<0>(), &p = b.output<0>(), &g = b.grad();
  const Tensor pt = p.mT(), gt = g.mT();
  // The gradient is (I - A P) G^T P P^T + P^T P G^T (I - P A) - P^T G P^T. Factors of A and P are
  // adjacent, because products of three P leave the range of float; and the products between are
  // square matrices of the smaller size.
  if (a.size(-2) <= a.size(-1)) {
    const Tensor k = gt.matmul(p), left = k.matmul(pt);
    b[0] =
        left - a.matmul(p).matmul(left) + pt.matmul(p).matmul(gt - k.matmul(a)) - p.matmul(k).mT();
    return;
  }
  const Tensor k = p.matmul(gt), right = pt.matmul(k);
  b[0] = (gt - a.matmul(k)).matmul(p.matmul(pt)) + right - right.matmul(p.matmul(a)) -
         k.matmul(p).mT();
}

void Lstsq::infer(ShapeInference& i) const {
  check_matrices(i, 0, "A", false);
  check_matrices(i, 1, "B", false);
  const Shape &a = i.shape(0), &b = i.shape(1);
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("Expected input and other to have the same dtype, but got {} and {}",
                       i.dtype(0), i.dtype(1));
  if (drop_last_dims(a, 1) != drop_last_dims(b, 1))
    i.fail("input.size(-2) should match other.size(-2): got shapes {} and {}", a, b);
  const bool with_values = driver == "gelss" || driver == "gelsd";
  i.set_output(matrix_shape(a, a.back(), b.back()), i.dtype(0));
  i.set_output(driver == "gels" ? Shape(0) : drop_last_dims(a, 2), DType::i32);
  i.set_output(with_values ? vector_shape(a, std::min(rows_of(a), a.back())) : Shape(0),
               i.dtype(0));
}
// The derivative of A^+ B for a matrix of constant rank.
void Lstsq::backward(BackwardContext<Lstsq>& b) const {
  const Tensor &a = b.input<0>(), &x = b.output<0>(), &g = b.grad();
  const Tensor p = linalg::pinv(a), y = p.mT().matmul(g);
  b[1] = y;
  if (!b.needs_input_grad(0)) return;
  const Tensor r = b.input<1>() - a.matmul(x), z = p.mT().matmul(x).matmul(g.mT());
  b[0] = r.matmul(g.mT()).matmul(p).matmul(p.mT()) - y.matmul(x.mT()) + z - z.matmul(p).matmul(a);
  if (b.has_grad(2) && (driver == "gelss" || driver == "gelsd")) {
    const auto [u, s, vh] = linalg::svd(a, false);
    b[0] = b[0] + (u * b.grad(2).unsqueeze(-2)).matmul(vh);
  }
}

TAPER_DEFINE_OP(linalg_cholesky_ex, CholeskyEx);
TAPER_DEFINE_OP(linalg_lu_factor_ex, LuFactorEx);
TAPER_DEFINE_OP(linalg_inv_ex, InvEx);
TAPER_DEFINE_OP(linalg_det, Det);
TAPER_DEFINE_OP(linalg_slogdet, Slogdet);
TAPER_DEFINE_OP(linalg_solve_triangular, SolveTriangular);
TAPER_DEFINE_OP(linalg_qr, Qr);
TAPER_DEFINE_OP(linalg_svd, Svd);
TAPER_DEFINE_OP(linalg_eigh, Eigh);
TAPER_DEFINE_OP(linalg_pinv, Pinv);
TAPER_DEFINE_OP(linalg_lstsq, Lstsq);

}  // namespace taper
