// Matrix decompositions, linear systems and matrix norms.
#include "taper/ops/decomposition.h"

#include "functions/table.h"
#include "taper/core/factory.h"

namespace taper::oracle {
namespace {

Value value_of(const Tensor& t) { return t; }
Value value_of(const std::pair<Tensor, Tensor>& p) { return Value::tuple({p.first, p.second}); }
template <class... T> Value value_of(const std::tuple<T...>& t) {
  return std::apply([](const auto&... parts) { return Value::tuple({parts...}); }, t);
}

/// A function of one tensor.
template <auto f> Value decomposition(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return value_of(f(x));
}
template <auto f> Value binary(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("other");
  a.done();
  return value_of(f(x, y));
}
/// A function of one tensor and a flag.
template <auto f> Value with_flag(Arguments& a, const char* flag, bool standard) {
  const Tensor x = a.tensor("input");
  const bool value = a.boolean(flag, standard);
  a.done();
  return value_of(f(x, value));
}

Value call_cholesky(Arguments& a) { return with_flag<linalg::cholesky>(a, "upper", false); }
Value call_cholesky_ex(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool upper = a.boolean("upper", false), check = a.boolean("check_errors", false);
  a.done();
  return value_of(linalg::cholesky_ex(x, upper, check));
}
Value call_qr(Arguments& a) {
  const Tensor x = a.tensor("A");
  const std::string mode = a.text("mode", "reduced");
  a.done();
  return value_of(linalg::qr(x, mode));
}
Value call_linalg_svd(Arguments& a) { return with_flag<linalg::svd>(a, "full_matrices", true); }
Value call_svd(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool some = a.boolean("some", true), uv = a.boolean("compute_uv", true);
  a.done();
  return value_of(svd(x, some, uv));
}
template <auto f> Value of_triangle(Arguments& a) {
  const Tensor x = a.tensor("A");
  const std::string uplo = a.text("UPLO", "L");
  a.done();
  return value_of(f(x, uplo));
}
Value call_lu_factor(Arguments& a) { return with_flag<linalg::lu_factor>(a, "pivot", true); }
Value call_linalg_lu(Arguments& a) { return with_flag<linalg::lu>(a, "pivot", true); }
Value call_lu_factor_ex(Arguments& a) {
  const Tensor x = a.tensor("A");
  const bool pivot = a.boolean("pivot", true), check = a.boolean("check_errors", false);
  a.done();
  return value_of(linalg::lu_factor_ex(x, pivot, check));
}
Value call_ldl_factor(Arguments& a) { return with_flag<linalg::ldl_factor>(a, "hermitian", false); }
Value call_ldl_factor_ex(Arguments& a) {
  const Tensor x = a.tensor("A");
  const bool hermitian = a.boolean("hermitian", false), check = a.boolean("check_errors", false);
  a.done();
  return value_of(linalg::ldl_factor_ex(x, hermitian, check));
}
Value call_ldl_solve(Arguments& a) {
  const Tensor ld = a.tensor("LD"), pivots = a.tensor("pivots"), b = a.tensor("B");
  const bool hermitian = a.boolean("hermitian", false);
  a.done();
  return linalg::ldl_solve(ld, pivots, b, hermitian);
}
/// torch.lu(A, pivot, get_infos).
Value call_lu(Arguments& a) {
  const Tensor x = a.tensor("A");
  const bool pivot = a.boolean("pivot", true), infos = a.boolean("get_infos", false);
  a.done();
  if (infos) return value_of(linalg::lu_factor_ex(x, pivot));
  return value_of(linalg::lu_factor(x, pivot));
}
Value call_lu_unpack(Arguments& a) {
  const Tensor lu = a.tensor("LU_data"), pivots = a.tensor("LU_pivots");
  const bool data = a.boolean("unpack_data", true), swaps = a.boolean("unpack_pivots", true);
  a.done();
  return value_of(lu_unpack(lu, pivots, data, swaps));
}
Value call_lu_solve(Arguments& a) {
  const Tensor b = a.tensor("b"), lu = a.tensor("LU_data"), pivots = a.tensor("LU_pivots");
  a.done();
  return lu_solve(b, lu, pivots);
}
Value call_linalg_lu_solve(Arguments& a) {
  const Tensor lu = a.tensor("LU"), pivots = a.tensor("pivots"), b = a.tensor("B");
  const bool left = a.boolean("left", true), adjoint = a.boolean("adjoint", false);
  a.done();
  return linalg::lu_solve(lu, pivots, b, left, adjoint);
}
Value call_inv_ex(Arguments& a) { return with_flag<linalg::inv_ex>(a, "check_errors", false); }
Value call_pinverse(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double rcond = a.number("rcond", 1e-15);
  a.done();
  return pinverse(x, rcond);
}
using WithTolerances = Tensor (*)(const Tensor&, const linalg::Tolerance&, const linalg::Tolerance&,
                                  bool);
template <WithTolerances function> Value within_tolerances(Arguments& a) {
  const Tensor x = a.tensor("A");
  const auto read = [&](const char* name) -> linalg::Tolerance {
    const Value* v = a.next(name);
    if (!v || v->is_none()) return {};
    if (v->is_tensor()) return v->as_tensor();
    return v->as_double();
  };
  // The positional form is (A, rtol, hermitian).
  const bool is_positional = a.peek("rcond") != nullptr;
  const linalg::Tolerance rcond = is_positional ? read("rcond") : linalg::Tolerance();
  const linalg::Tolerance atol = read("atol"), rtol = is_positional ? rcond : read("rtol");
  const bool hermitian = a.boolean("hermitian", false);
  a.done();
  return function(x, atol, rtol, hermitian);
}
template <auto f> Value of_power(Arguments& a) {
  const Tensor x = a.tensor("A");
  const std::int64_t n = a.integer("n");
  a.done();
  return f(x, n);
}

Value call_solve_ex(Arguments& a) {
  const Tensor x = a.tensor("A"), b = a.tensor("B");
  const bool left = a.boolean("left", true), check = a.boolean("check_errors", false);
  a.done();
  return value_of(linalg::solve_ex(x, b, left, check));
}
Value call_solve(Arguments& a) {
  const Tensor x = a.tensor("A"), b = a.tensor("B");
  const bool left = a.boolean("left", true);
  a.done();
  return linalg::solve(x, b, left);
}
Value call_solve_triangular(Arguments& a) {
  const Tensor x = a.tensor("A"), b = a.tensor("B");
  const bool upper = a.boolean("upper"), left = a.boolean("left", true),
             unitriangular = a.boolean("unitriangular", false);
  a.done();
  return linalg::solve_triangular(x, b, upper, left, unitriangular);
}
Value call_triangular_solve(Arguments& a) {
  const Tensor b = a.tensor("b"), x = a.tensor("A");
  const bool upper = a.boolean("upper", true), transpose = a.boolean("transpose", false),
             unitriangular = a.boolean("unitriangular", false);
  a.done();
  return value_of(triangular_solve(b, x, upper, transpose, unitriangular));
}
Value call_cholesky_solve(Arguments& a) {
  const Tensor b = a.tensor("input"), l = a.tensor("input2");
  const bool upper = a.boolean("upper", false);
  a.done();
  return cholesky_solve(b, l, upper);
}
Value call_cholesky_inverse(Arguments& a) { return with_flag<cholesky_inverse>(a, "upper", false); }
Value call_ormqr(Arguments& a) {
  const Tensor x = a.tensor("input"), tau = a.tensor("tau"), other = a.tensor("other");
  const bool left = a.boolean("left", true), transpose = a.boolean("transpose", false);
  a.done();
  return ormqr(x, tau, other, left, transpose);
}
Value call_lstsq(Arguments& a) {
  const Tensor x = a.tensor("A"), b = a.tensor("B");
  const auto rcond = a.optional_number("rcond");
  const std::string driver = a.text("driver", "gelsy");
  a.done();
  return value_of(linalg::lstsq(x, b, rcond, driver));
}
Value call_tensorinv(Arguments& a) {
  const Tensor x = a.tensor("A");
  const std::int64_t ind = a.integer("ind", 2);
  a.done();
  return linalg::tensorinv(x, ind);
}
Value call_tensorsolve(Arguments& a) {
  const Tensor x = a.tensor("A"), b = a.tensor("B");
  const auto dims = a.optional_shape("dims");
  a.done();
  return linalg::tensorsolve(x, b, dims);
}

Value call_matrix_norm(Arguments& a) {
  const Tensor x = a.tensor("A");
  const Value* given = a.next("ord");
  const Value ord = given ? *given : Value(std::string("fro"));
  const Shape dim = a.shape("dim", Shape{-2, -1});
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  return ord.is_string() ? linalg::matrix_norm(x, ord.as_string(), dim, keepdim, dtype)
                         : linalg::matrix_norm(x, scalar_of(ord), dim, keepdim, dtype);
}
Value call_norm(Arguments& a) {
  const Tensor x = a.tensor("A");
  const Value* given = a.next("ord");
  const Value ord = given ? *given : Value();
  const auto dim = a.optional_shape("dim");
  const bool keepdim = a.boolean("keepdim", false);
  const auto dtype = a.optional_dtype("dtype");
  a.done();
  if (ord.is_string()) return linalg::norm(x, ord.as_string(), dim, keepdim, dtype);
  std::optional<Scalar> p;
  if (!ord.is_none()) p = scalar_of(ord);
  return linalg::norm(x, p, dim, keepdim, dtype);
}
Value call_cond(Arguments& a) {
  const Tensor x = a.tensor("A");
  const Value* given = a.next("p");
  const Value p = given ? *given : Value();
  a.done();
  if (p.is_string()) return linalg::cond(x, p.as_string());
  std::optional<Scalar> order;
  if (!p.is_none()) order = scalar_of(p);
  return linalg::cond(x, order);
}
Value call_multi_dot(Arguments& a) {
  const std::vector<Tensor> tensors = a.tensors("tensors");
  a.done();
  return linalg::multi_dot(tensors);
}
template <auto f> Value along_dim(Arguments& a) {
  const Tensor x = a.tensor("x"), y = a.tensor("y");
  const std::int64_t dim = a.integer("dim", -1);
  a.done();
  return f(x, y, dim);
}
Value call_diagonal(Arguments& a) {
  const Tensor x = a.tensor("A");
  const std::int64_t offset = a.integer("offset", 0), dim1 = a.integer("dim1", -2),
                     dim2 = a.integer("dim2", -1);
  a.done();
  return linalg::diagonal(x, offset, dim1, dim2);
}
Value call_vander(Arguments& a) {
  const Tensor x = a.tensor("x");
  const auto n = a.optional_integer("N");
  a.done();
  std::optional<IntArg> count;
  if (n) count = *n;
  return linalg::vander(x, count);
}

}  // namespace

void add_decompositions(FunctionTable& table) {
  table["linalg.cholesky"] = call_cholesky;
  table["linalg.cholesky_ex"] = call_cholesky_ex;
  table["linalg.qr"] = call_qr;
  table["linalg.svd"] = call_linalg_svd;
  table["svd"] = call_svd;
  table["linalg.svdvals"] = decomposition<linalg::svdvals>;
  table["linalg.eigh"] = of_triangle<linalg::eigh>;
  table["linalg.eigvalsh"] = of_triangle<linalg::eigvalsh>;
  table["linalg.ldl_factor"] = call_ldl_factor;
  table["linalg.ldl_factor_ex"] = call_ldl_factor_ex;
  table["linalg.ldl_solve"] = call_ldl_solve;
  table["linalg.lu_factor"] = call_lu_factor;
  table["linalg.lu_factor_ex"] = call_lu_factor_ex;
  table["linalg.lu"] = call_linalg_lu;
  table["lu"] = call_lu;
  table["lu_unpack"] = call_lu_unpack;
  table["lu_solve"] = call_lu_solve;
  table["linalg.lu_solve"] = call_linalg_lu_solve;
  table["linalg.polar"] = decomposition<linalg::polar>;
  table["linalg.inv"] = table["inverse"] = decomposition<linalg::inv>;
  table["linalg.inv_ex"] = call_inv_ex;
  table["linalg.pinv"] = within_tolerances<linalg::pinv>;
  table["linalg.matrix_rank"] = within_tolerances<linalg::matrix_rank>;
  table["pinverse"] = call_pinverse;
  table["linalg.det"] = table["det"] = decomposition<linalg::det>;
  table["linalg.slogdet"] = table["slogdet"] = decomposition<linalg::slogdet>;
  table["logdet"] = decomposition<logdet>;
  table["trace"] = decomposition<trace>;
  table["linalg.matrix_power"] = table["matrix_power"] = of_power<linalg::matrix_power>;
  table["linalg.matrix_sqrth"] = decomposition<linalg::matrix_sqrth>;
  table["linalg.matrix_exp"] = decomposition<linalg::matrix_exp>;
  table["linalg.matmul"] = binary<linalg::matmul>;
  table["linalg.solve"] = call_solve;
  table["linalg.solve_ex"] = call_solve_ex;
  table["linalg.solve_triangular"] = call_solve_triangular;
  table["triangular_solve"] = call_triangular_solve;
  table["cholesky_solve"] = call_cholesky_solve;
  table["cholesky_inverse"] = call_cholesky_inverse;
  table["ormqr"] = call_ormqr;
  table["orgqr"] = binary<orgqr>;
  table["linalg.lstsq"] = call_lstsq;
  table["linalg.tensorinv"] = call_tensorinv;
  table["linalg.tensorsolve"] = call_tensorsolve;
  table["linalg.matrix_norm"] = call_matrix_norm;
  table["linalg.norm"] = call_norm;
  table["linalg.cond"] = call_cond;
  table["linalg.multi_dot"] = call_multi_dot;
  table["linalg.vecdot"] = along_dim<linalg::vecdot>;
  table["linalg.cross"] = along_dim<linalg::cross>;
  table["linalg.diagonal"] = call_diagonal;
  table["linalg.vander"] = call_vander;
}

}  // namespace taper::oracle
