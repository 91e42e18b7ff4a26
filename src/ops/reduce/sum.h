#pragma once
#include "ops/op.h"

namespace taper {

/// Sum over `dim`, or over all dimensions if absent. `All` selects the op that sums all elements,
/// which PyTorch records under a separate name.
template <bool All> struct SumOf {
  std::optional<Shape> dim{};
  bool keepdim = false;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, keepdim, dtype)
  static constexpr OpInfo op{.name = All ? "sum_all" : "sum",
                             .node = All ? "SumBackward0" : "SumBackward1",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .public_name = "sum"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<SumOf>& b) const;
};
using Sum = SumOf<false>;
using SumAll = SumOf<true>;

/// Mean over `dim`, or over all dimensions if absent. `All` is as for SumOf.
template <bool All> struct MeanOf {
  std::optional<Shape> dim{};
  bool keepdim = false;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, keepdim, dtype)
  static constexpr OpInfo op{.name = All ? "mean_all" : "mean",
                             .node = All ? "MeanBackward0" : "MeanBackward1",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .public_name = "mean"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MeanOf>& b) const;
};
using Mean = MeanOf<false>;
using MeanAll = MeanOf<true>;

}  // namespace taper
