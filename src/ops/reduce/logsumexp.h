#pragma once
#include "ops/op.h"

namespace taper {

/// Computes log(sum(e^input)) over `dim`, or over all dimensions if absent.
struct LogSumExp {
  std::optional<Shape> dim{};
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = "logsumexp",
                             .node = "LogsumexpBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .saved = in(0) | out(0),
                             .promote = TypePromotion::int_to_float,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LogSumExp>& b) const;
};

}  // namespace taper
