#pragma once
#include "ops/op.h"

namespace taper {

/// Cumulative products along `dim`.
struct CumProd {
  std::int64_t dim = 0;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, dtype)
  static constexpr OpInfo op{.name = "cumprod",
                             .node = "CumprodBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .saved = in(0),
                             .inplace = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<CumProd>& b) const;
};

/// Cumulative maxima (minima) along `dim`, and the position of the last occurrence of each.
template <bool Largest> struct CumExtreme {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = Largest ? "cummax" : "cummin",
                             .node = Largest ? "CummaxBackward0" : "CumminBackward0",
                             .inputs = "input",
                             .outputs = "values indices",
                             .dtypes = DTypeSet::all,
                             .saved = out(1),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<CumExtreme>& b) const;
};

/// Logarithms of the cumulative sums of the exponentials along `dim`.
struct LogCumSumExp {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "logcumsumexp",
                             .node = "LogcumsumexpBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | out(0),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LogCumSumExp>& b) const;
};

}  // namespace taper
