// Matrix products over raw pointers, C (M, N) = A (M, K) * B (K, N), and the parts of linear
// layers.
#pragma once
#include <cstdint>

#include "taper/core/dtype.h"

namespace taper::cpu {

/// One product. Elements of A are `a[i * a_row + k * a_col]`, of B `b[k * b_row + j * b_col]`, of C
/// `c[i * c_row + j]`: A and B may be transposed or strided, the rows of C are contiguous. C must
/// not overlap A, B or the bias.
template <class T, class C = T> struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  std::int64_t a_row = 0, a_col = 1;
  const T* b = nullptr;
  std::int64_t b_row = 0, b_col = 1;
  C* c = nullptr;
  std::int64_t c_row = 0;
  const T* bias = nullptr;    ///< (N), added to every row; null for none
  bool accumulate = false;    ///< compute C += instead of C =
  bool relu = false;          ///< replace negative results with 0
  const T* panels = nullptr;  ///< B packed by `gemm_pack`; null to pack during the product
};

/// Computes the product. With k = 0, C is set to the bias or zeros, or unchanged if accumulating.
/// Uses `parallel_for` if the product is large enough; the result does not depend on the number of
/// threads.
void gemm(const Gemm<float>& g);
void gemm(const Gemm<double>& g);

/// Computes the product of 16-bit floats in f32 and rounds each element of C once, or stores it in
/// f32.
void gemm(const Gemm<Half>& g);
void gemm(const Gemm<BFloat16>& g);
void gemm(const Gemm<Half, float>& g);
void gemm(const Gemm<BFloat16, float>& g);

/// Returns true if the product reads a packed copy of B, which a caller that uses B repeatedly may
/// cache.
bool gemm_packs(const Gemm<float>& g);
bool gemm_packs(const Gemm<double>& g);
bool gemm_packs(const Gemm<BFloat16>& g);
/// `gemm_panels_size` returns the number of elements that `gemm_pack` writes to `panels`.
std::int64_t gemm_panels_size(const Gemm<float>& g);
std::int64_t gemm_panels_size(const Gemm<double>& g);
std::int64_t gemm_panels_size(const Gemm<BFloat16>& g);
void gemm_pack(const Gemm<float>& g, float* panels);
void gemm_pack(const Gemm<double>& g, double* panels);
void gemm_pack(const Gemm<BFloat16>& g, BFloat16* panels);

/// Computes out (N), the column sums of x (M, N), whose rows are `x_row` elements apart.
void column_sums(std::int64_t m, std::int64_t n, const float* x, std::int64_t x_row, float* out,
                 bool accumulate);
void column_sums(std::int64_t m, std::int64_t n, const double* x, std::int64_t x_row, double* out,
                 bool accumulate);

/// Computes y (M, out) = x (M, in) * w (out, in)^T + bias. All are contiguous; bias may be null.
template <class T> void linear_forward(std::int64_t m, std::int64_t in, std::int64_t out,
                                       const T* x, const T* w, const T* bias, T* y,
                                       bool relu = false) {
  gemm(Gemm<T>{.m = m,
               .n = out,
               .k = in,
               .a = x,
               .a_row = in,
               .b = w,
               .b_row = 1,
               .b_col = in,
               .c = y,
               .c_row = out,
               .bias = bias,
               .relu = relu});
}

/// Computes the gradients of `linear_forward` from dy (M, out). Each of dx (M, in), dw (out, in)
/// and db (out) may be null.
template <class T> void linear_backward(std::int64_t m, std::int64_t in, std::int64_t out,
                                        const T* x, const T* w, const T* dy, T* dx, T* dw, T* db) {
  if (dw != nullptr)
    gemm(Gemm<T>{.m = out,
                 .n = in,
                 .k = m,
                 .a = dy,
                 .a_row = 1,
                 .a_col = out,
                 .b = x,
                 .b_row = in,
                 .c = dw,
                 .c_row = in});
  if (db != nullptr) column_sums(m, out, dy, out, db, false);
  if (dx != nullptr)
    gemm(Gemm<T>{.m = m,
                 .n = in,
                 .k = out,
                 .a = dy,
                 .a_row = out,
                 .b = w,
                 .b_row = in,
                 .c = dx,
                 .c_row = in});
}

}  // namespace taper::cpu
