#include "cpu/gemm/gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include <string>

#include "cpu/threads.h"
#include "taper/core/error.h"

namespace taper::cpu {
namespace {

// Returns the leading dimension of an operand that is contiguous along one dimension, otherwise 0.
// Sets `transpose` to 'N' if the operand is row-major, to 'T' if it is transposed.
std::int64_t leading_dimension(std::int64_t rows, std::int64_t cols, std::int64_t row,
                               std::int64_t col, char& transpose) {
  if (col == 1 && row >= cols) {
    transpose = 'N';
    return row;
  }
  if (row == 1 && col >= rows) {
    transpose = 'T';
    return col;
  }
  return 0;
}

}  // namespace

bool gemm_onednn_supports(const Gemm<float>& g) {
  char transpose = 'N';
  return g.bias == nullptr && !g.relu && g.k > 0 &&
         leading_dimension(g.m, g.k, g.a_row, g.a_col, transpose) > 0 &&
         leading_dimension(g.k, g.n, g.b_row, g.b_col, transpose) > 0;
}

void gemm_onednn(const Gemm<float>& g) {
  char trans_a = 'N', trans_b = 'N';
  const std::int64_t lda = leading_dimension(g.m, g.k, g.a_row, g.a_col, trans_a);
  const std::int64_t ldb = leading_dimension(g.k, g.n, g.b_row, g.b_col, trans_b);
  match_onednn_threads();
  const dnnl_status_t status = dnnl_sgemm(trans_a, trans_b, g.m, g.n, g.k, 1.0f, g.a, lda, g.b, ldb,
                                          g.accumulate ? 1.0f : 0.0f, g.c, g.c_row);
  if (status != dnnl_success)
    throw RuntimeError("gemm: rejected by oneDNN: got status " + std::to_string(status));
}

void gemm(const Gemm<float>& g) {
  // A large A that is contiguous along columns must be packed for speed; the native kernel packs
  // only B.
  const bool a_is_column_major = g.a_col >= 256 && g.m >= 256 && g.k >= 256;
  if (a_is_column_major && !g.panels && gemm_onednn_supports(g))
    gemm_onednn(g);
  else
    gemm_native(g);
}
void gemm(const Gemm<double>& g) { gemm_native(g); }

}  // namespace taper::cpu
