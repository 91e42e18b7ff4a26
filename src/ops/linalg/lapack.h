// LAPACK, as provided by OpenBLAS: decompositions of large matrices. OpenBLAS is loaded when it is
// first needed, if the system has it. Matrices are in column-major order without gaps.
#pragma once
#include <cstdint>

namespace taper::kernel::lapack {

/// Routines of LAPACK, and trsm of BLAS, for T, float or double, with the arguments of Fortran.
template <class T> struct Routines {
  using I = int;
  void (*potrf)(const char* uplo, const I* n, T* a, const I* lda, I* info);
  void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diag, const I* m,
               const I* n, const T* alpha, const T* a, const I* lda, T* b, const I* ldb);
  void (*geqrf)(const I* m, const I* n, T* a, const I* lda, T* tau, T* work, const I* lwork,
                I* info);
  void (*orgqr)(const I* m, const I* n, const I* k, T* a, const I* lda, const T* tau, T* work,
                const I* lwork, I* info);
  void (*gesdd)(const char* job, const I* m, const I* n, T* a, const I* lda, T* s, T* u,
                const I* ldu, T* vt, const I* ldvt, T* work, const I* lwork, I* iwork, I* info);
  void (*syevd)(const char* job, const char* uplo, const I* n, T* a, const I* lda, T* w, T* work,
                const I* lwork, I* iwork, const I* liwork, I* info);
};

/// Returns the routines for a matrix of this size; null if it is small, if OpenBLAS is not
/// installed, or if TAPER_CPU_CAPABILITY limits the instruction set, because OpenBLAS selects its
/// own.
template <class T> const Routines<T>* find(std::int64_t rows, std::int64_t cols);

/// Disables or enables LAPACK; for tests.
void set_enabled(bool enabled) noexcept;

}  // namespace taper::kernel::lapack
