// Matrix products over raw pointers: C (M, N) = A (M, K) * B (K, N), and the pieces of linear
// layers.
#pragma once
#include <cstdint>

namespace taper::backend {

/// One product. Elements of A are `a[i * a_row + k * a_col]`, of B `b[k * b_row + j * b_col]`, of C
/// `c[i * c_row + j]`: either operand may be transposed or strided, C has contiguous rows.
/// C must not overlap A, B or the bias.
template <class T> struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  std::int64_t a_row = 0, a_col = 1;
  const T* b = nullptr;
  std::int64_t b_row = 0, b_col = 1;
  T* c = nullptr;
  std::int64_t c_row = 0;
  const T* bias = nullptr;    ///< (N) added to every row; null for none
  bool accumulate = false;    ///< C += instead of C =
  bool relu = false;          ///< negative results become 0
  const T* panels = nullptr;  ///< B as `gemm_pack` left it; null to pack on the way
};

/// Computes the product on the way that is fastest for its sizes: own kernels, or oneDNN for large
/// f32 ones. k = 0 gives zeros (or the bias, or C unchanged when accumulating). Uses
/// `parallel_for` when the work is worth it.
void gemm(const Gemm<float>& g);
void gemm(const Gemm<double>& g);

/// Our own kernels, whatever the sizes.
void gemm_own(const Gemm<float>& g);
void gemm_own(const Gemm<double>& g);

/// oneDNN's sgemm; each operand must be contiguous along one of its dimensions.
bool gemm_vendor_takes(const Gemm<float>& g);
void gemm_vendor(const Gemm<float>& g);

/// Whether the product reads a packed copy of B, which one who multiplies by B again may keep.
bool gemm_packs(const Gemm<float>& g);
bool gemm_packs(const Gemm<double>& g);
/// Elements of B as `gemm_pack` leaves it.
std::int64_t gemm_panels_size(const Gemm<float>& g);
std::int64_t gemm_panels_size(const Gemm<double>& g);
void gemm_pack(const Gemm<float>& g, float* panels);
void gemm_pack(const Gemm<double>& g, double* panels);

/// out (N) = sums over the rows of x (M, N), whose rows are `x_row` apart.
void column_sums(std::int64_t m, std::int64_t n, const float* x, std::int64_t x_row, float* out,
                 bool accumulate);
void column_sums(std::int64_t m, std::int64_t n, const double* x, std::int64_t x_row, double* out,
                 bool accumulate);

/// y (M, out) = x (M, in) * w (out, in)^T + bias, all contiguous; bias may be null.
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

/// The gradients of `linear_forward` from dy (M, out); each of dx (M, in), dw (out, in) and
/// db (out) may be null.
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

}  // namespace taper::backend
