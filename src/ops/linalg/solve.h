#pragma once
#include "ops/linalg/dense.h"

namespace taper {

/// Solves A X = B for matrices (..., N, N) and (..., N, K) with the same leading dimensions. `info`
/// is the position of the first zero pivot, or 0.
struct Solve {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_solve",
                             .node = "LinalgSolveExBackward0",
                             .inputs = "A B",
                             .outputs = "result info",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.solve"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Solve>& b) const;
};

/// Returns true if B is a vector or a batch of vectors in A X = B: if it has one dimension, or the
/// shape of A without the last dimension. Only the functions of torch.linalg with this rule may
/// call it, because n matrices A of n x n and one matrix B satisfy it, too.
bool has_vectors(const Tensor& a, const Tensor& b);

/// Solves A X = B for matrices A and B whose leading dimensions are broadcast. Returns X and
/// `info`. Unlike linalg::solve_ex, does not interpret B as a batch of vectors if its shape permits
/// it.
std::pair<Tensor, Tensor> solve_matrices(const Tensor& a, const Tensor& b);

}  // namespace taper
