#include "ops/linalg/large_matrices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/linalg/batches.h"
#include "ops/linalg/columns.h"
#include "ops/linalg/lapack.h"
#include "taper/core/error.h"

namespace taper::kernel::large {
namespace {

/// Column-major matrix that owns its elements.
template <class T> struct Columns {
  std::int64_t rows, cols;
  std::vector<T> elements;

  Columns(std::int64_t rows, std::int64_t cols)
      : rows(rows), cols(cols), elements(static_cast<std::size_t>(rows * cols)) {}
  explicit Columns(const Matrix& m) : Columns(m.rows, m.cols) { read_columns(m, data()); }
  T* data() { return elements.data(); }
  /// Returns LAPACK's leading dimension, which is at least 1.
  int ld() const { return static_cast<int>(std::max<std::int64_t>(1, rows)); }
  T operator()(std::int64_t i, std::int64_t j) const {
    return elements[static_cast<std::size_t>(i + j * rows)];
  }
  Matrix view() {
    return {reinterpret_cast<std::byte*>(data()),    rows, cols, 1, rows,
            sizeof(T) == 4 ? DType::f32 : DType::f64};
  }
  bool is_finite() const {
    return std::all_of(elements.begin(), elements.end(), [](T x) { return std::isfinite(x); });
  }
};

/// Calls f(routines, zero) for the type in which a matrix is factored. Returns false without
/// routines for its size.
template <class F> bool with_routines(const Matrix& a, F f) {
  bool found = false;
  const auto call = [&]<class T>(T) {
    const lapack::Routines<T>* const routines = lapack::find<T>(a.rows, a.cols);
    if (routines) f(*routines, T());
    found = routines != nullptr;
  };
  with_scalar_type(a.dtype, a.rows, a.cols, call);
  return found;
}

/// Calls f(work, size) with the size -1 and then with memory of the size that it stored in `work`.
template <class T, class F> void with_work(F f) {
  T best = 0;
  f(&best, -1);
  best = std::nextafter(best, std::numeric_limits<T>::infinity());  // it may have been rounded
  std::vector<T> work(static_cast<std::size_t>(std::max(T(1), best)) + 1);
  f(work.data(), static_cast<int>(work.size()));
}

template <class T> void run_geqrf(const lapack::Routines<T>& r, Columns<T>& a, T* tau) {
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.cols), ld = a.ld();
  with_work<T>([&](T* work, int size) {
    int info = 0;
    r.geqrf(&m, &n, a.data(), &ld, tau, work, &size, &info);
  });
}
/// Replaces the first `count` columns, which hold reflectors, by the columns of Q.
template <class T>
void run_orgqr(const lapack::Routines<T>& r, Columns<T>& a, std::int64_t count, const T* tau) {
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.cols), ld = a.ld();
  const int reflectors = static_cast<int>(count);
  with_work<T>([&](T* work, int size) {
    int info = 0;
    r.orgqr(&m, &n, &reflectors, a.data(), &ld, tau, work, &size, &info);
  });
}

/// Computes the singular values `s` and, unless they are empty, U and V^T.
template <class T> void run_gesdd(const lapack::Routines<T>& r, Columns<T> a, Columns<T>& u,
                                  Columns<T>& s, Columns<T>& vt, const char* op,
                                  const std::string& element) {
  if (!a.is_finite()) fail_non_finite(op, element);
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.cols);
  const int lda = a.ld(), ldu = u.ld(), ldvt = vt.ld();
  const bool is_full = u.cols == a.rows && vt.rows == a.cols;
  const char job = u.elements.empty() ? 'N' : is_full ? 'A' : 'S';
  std::vector<int> integers(static_cast<std::size_t>(8 * s.rows));
  int info = 0;
  with_work<T>([&](T* work, int size) {
    r.gesdd(&job, &m, &n, a.data(), &lda, s.data(), u.data(), &ldu, vt.data(), &ldvt, work, &size,
            integers.data(), &info);
  });
  if (info != 0) fail_non_finite(op, element);
}

/// Computes the eigenvalues `w` from the lower triangle and replaces the matrix, by the
/// eigenvectors if `vectors` is true.
template <class T> void run_syevd(const lapack::Routines<T>& r, Columns<T>& a, Columns<T>& w,
                                  bool vectors, const char* op, const std::string& element) {
  for (std::int64_t j = 0; j < a.cols; ++j)
    for (std::int64_t i = j; i < a.rows; ++i)
      if (!std::isfinite(a(i, j))) fail_ill_conditioned(op, element, a.rows);
  const int n = static_cast<int>(a.rows), ld = a.ld();
  const char job = vectors ? 'V' : 'N', triangle = 'L';
  std::vector<int> integers(static_cast<std::size_t>(3 + 5 * a.rows));
  const int integer_count = static_cast<int>(integers.size());
  int info = 0;
  with_work<T>([&](T* work, int size) {
    const int count = size < 0 ? -1 : integer_count;  // either size of -1 requests both sizes
    r.syevd(&job, &triangle, &n, a.data(), &ld, w.data(), work, &size, integers.data(), &count,
            &info);
  });
  if (info != 0) fail_ill_conditioned(op, element, info);
}

}  // namespace

bool solve_triangular(const Matrix& a, const Matrix& b, bool upper, bool is_unit, const Matrix& x) {
  return with_routines(a, [&]<class T>(const lapack::Routines<T>& r, T) {
    // A matrix with contiguous rows is its transpose in column-major order.
    const bool is_own_type = size_of(a.dtype) == sizeof(T);
    const bool by_rows = is_own_type && a.col_stride == 1 && a.row_stride >= a.cols;
    const bool in_place = by_rows || (is_own_type && a.row_stride == 1 && a.col_stride >= a.rows);
    const Columns<T> copy = in_place ? Columns<T>(0, 0) : Columns<T>(a);
    const T* const data = in_place ? reinterpret_cast<const T*>(a.data) : copy.elements.data();
    const std::int64_t stride = !in_place ? a.rows : by_rows ? a.row_stride : a.col_stride;
    Columns<T> solution(b);
    const char left = 'L', triangle = upper != by_rows ? 'U' : 'L',
               transposed = by_rows ? 'T' : 'N', diagonal = is_unit ? 'U' : 'N';
    const int m = static_cast<int>(b.rows), n = static_cast<int>(b.cols),
              lda = static_cast<int>(stride), ldb = solution.ld();
    const T one = 1;
    r.trsm(&left, &triangle, &transposed, &diagonal, &m, &n, &one, data, &lda, solution.data(),
           &ldb);
    write(solution, x);
  });
}

bool factor_qr(const Matrix& a, const Matrix& reflectors, const Matrix& tau) {
  return with_routines(a, [&]<class T>(const lapack::Routines<T>& r, T) {
    Columns<T> factors(a);
    Columns<T> scales(tau.rows, 1);
    run_geqrf(r, factors, scales.data());
    write(factors, reflectors);
    write(scales, tau);
  });
}

bool form_q(const Matrix& reflectors, const Matrix& tau, const Matrix& q) {
  return with_routines(reflectors, [&]<class T>(const lapack::Routines<T>& r, T) {
    Columns<T> columns(reflectors), scales(tau);
    run_orgqr(r, columns, tau.rows, scales.data());
    write(columns, q);
  });
}

bool decompose_qr(const Matrix& a, const Matrix* q, const Matrix& r) {
  return with_routines(a, [&]<class T>(const lapack::Routines<T>& routines, T) {
    Columns<T> factors(a);
    const std::int64_t count = std::min(a.rows, a.cols);
    Columns<T> tau(count, 1);
    run_geqrf(routines, factors, tau.data());
    write([&](std::int64_t i, std::int64_t j) { return i <= j ? factors(i, j) : T(0); }, r);
    if (!q) return;
    Columns<T> columns(q->rows, q->cols);
    std::copy_n(factors.elements.begin(), count * a.rows, columns.elements.begin());
    run_orgqr(routines, columns, count, tau.data());
    write(columns, *q);
  });
}

bool decompose_svd(const Matrix& a, const Matrix* u, const Matrix& values, const Matrix* vt,
                   const char* op, const std::string& element) {
  return with_routines(a, [&]<class T>(const lapack::Routines<T>& r, T) {
    Columns<T> left(u ? u->rows : 0, u ? u->cols : 0), right(vt ? vt->rows : 0, vt ? vt->cols : 0);
    Columns<T> s(values.rows, 1);
    run_gesdd(r, Columns<T>(a), left, s, right, op, element);
    write(s, values);
    if (!u) return;
    write(left, *u);
    write(right, *vt);
  });
}

bool decompose_symmetric(const Matrix& a, const Matrix& values, const Matrix* vectors,
                         const char* op, const std::string& element) {
  return with_routines(a, [&]<class T>(const lapack::Routines<T>& r, T) {
    Columns<T> matrix(a), w(a.rows, 1);
    run_syevd(r, matrix, w, vectors != nullptr, op, element);
    write(w, values);
    if (vectors) write(matrix, *vectors);
  });
}

bool invert_pseudo(const Matrix& a, bool hermitian, double atol, double rtol, const Matrix& to,
                   const std::string& element) {
  return with_routines(a, [&]<class T>(const lapack::Routines<T>& r, T) {
    const std::int64_t count = std::min(a.rows, a.cols);
    // The product of `left`, the diagonal matrix of s, and the transpose of `right`.
    Columns<T> left(0, 0), right(0, 0), s(count, 1);
    if (hermitian) {
      right = Columns<T>(a);
      run_syevd(r, right, s, true, "linalg.eigh", element);
      left = right;
    } else {
      Columns<T> vt(count, a.cols);
      right = Columns<T>(a.rows, count);
      run_gesdd(r, Columns<T>(a), right, s, vt, "linalg.svd", element);
      left = Columns<T>(vt.view().transposed());
    }
    T largest = 0;
    for (const T x : s.elements) largest = std::max(largest, std::abs(x));
    const T limit = std::max(static_cast<T>(atol), static_cast<T>(rtol) * largest);
    for (std::int64_t j = 0; j < count; ++j) {
      const T x = s(j, 0), inverse = std::abs(x) > limit ? 1 / x : T(0);
      for (std::int64_t i = 0; i < left.rows; ++i) left.data()[i + j * left.rows] *= inverse;
    }
    // Row-major, which is the order of the kernel's results.
    Columns<T> product(to.cols, to.rows);
    const Matrix rows = product.view().transposed();
    multiply({left.view()}, {right.view().transposed()}, {rows});
    write([&](std::int64_t i, std::int64_t j) { return product(j, i); }, to);
  });
}

void fail_non_finite(const char* op, const std::string& element) {
  fail<RuntimeError>(
      "{}: {}The algorithm failed to converge because the input matrix contained non-finite "
      "values.",
      op, element);
}
void fail_ill_conditioned(const char* op, const std::string& element, std::int64_t code) {
  fail<RuntimeError>(
      "{}: {}The algorithm failed to converge because the input matrix is ill-conditioned or has "
      "too many repeated eigenvalues (error code: {}).",
      op, element, code);
}

}  // namespace taper::kernel::large
