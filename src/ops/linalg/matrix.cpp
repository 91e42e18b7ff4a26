#include "ops/linalg/matrix.h"

#include <type_traits>

#include "ops/kernel/reference.h"
#include "ops/promote.h"

namespace taper {
namespace kernel {

Matrix Matrices::operator[](std::int64_t i) const {
  Matrix m = first;
  m.data += i * step * static_cast<std::int64_t>(size_of(m.dtype));
  return m;
}

Matrices matrices_of(const View& v) {
  const Shape &n = *v.shape, &s = *v.strides;
  const std::size_t r = n.size() - 2;
  Matrices m{.first = {v.data, n[r], n[r + 1], s[r], s[r + 1], v.dtype}, .storage = v.storage};
  if (r == 1) m.count = n[0], m.step = s[0];
  return m;
}

Matrices column_of(const View& v) {
  return {{v.data, (*v.shape)[0], 1, (*v.strides)[0], 1, v.dtype}};
}

void multiply_reference(const Matrices& as, const Matrices& bs, const Matrices& cs) {
  in_compute_type(cs.first.dtype, [&]<class T>(T) {
    // Integers wrap around, which is defined in C++ for unsigned types only.
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    for (std::int64_t at = 0; at < cs.count; ++at) {
      const Matrix a = as[at], b = bs[at], c = cs[at];
      const auto element = [](const Matrix& m, std::int64_t i, std::int64_t j) {
        return m.data +
               (i * m.row_stride + j * m.col_stride) * static_cast<std::int64_t>(size_of(m.dtype));
      };
      for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
          Sum sum{};
          for (std::int64_t k = 0; k < a.cols; ++k)
            sum += static_cast<Sum>(load<T>(element(a, i, k), a.dtype)) *
                   static_cast<Sum>(load<T>(element(b, k, j), b.dtype));
          store(element(c, i, j), c.dtype, static_cast<T>(sum));
        }
    }
  });
}

double product_flops(const Matrices& a, const Matrices& c) {
  return 2.0 * static_cast<double>(c.count) * static_cast<double>(c.first.rows) *
         static_cast<double>(c.first.cols) * static_cast<double>(a.first.cols);
}

}  // namespace kernel

std::string rows_by_cols(std::int64_t rows, std::int64_t cols) {
  return taper::format_message("{}x{}", rows, cols);
}

void check_product(const ShapeInference& i, const Shape& a, DType a_dtype, const Shape& b,
                   DType b_dtype) {
  const std::int64_t rows = a[a.size() - 2], inner = a.back();
  if (inner != b[b.size() - 2])
    i.fail("mat1 and mat2 shapes cannot be multiplied ({} and {})", rows_by_cols(rows, inner),
           rows_by_cols(b[b.size() - 2], b.back()));
  if (a_dtype != b_dtype)
    i.fail<DTypeError>("mat1 and mat2 must have the same dtype, but got {} and {}",
                       legacy_name(a_dtype), legacy_name(b_dtype));
}

}  // namespace taper
