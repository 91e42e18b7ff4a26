// Inputs of the sweep: sizes, and random tensors that are equal in both libraries.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>

#include "sweep/row.h"

namespace taper::bench {

/// Number of sizes: about 1e3, 1e5 and 1e7 elements.
constexpr int kSweepSizes = 3;
extern const char* const kSweepSizeNames[kSweepSizes];

/// One tensor of a row, with sizes in numbers.
struct InputSpec {
  char name;
  Shape shape;
  DType dtype;
  /// Distribution: "normal", "uniform" (0 to 1), "positive" (0.5 to 1.5), "unit" (-0.9 to 0.9),
  /// "index" (0 to `bound` - 1), "order" (a random permutation), "sorted", "ones", "zeros",
  /// "spd" (symmetric and positive definite), "dominant" (well conditioned), "probabilities"
  /// (softmax over the last dimension), "nan" (a tenth of the elements). Of an integer, "normal" is
  /// from -100 to 99 and "positive" from 1 to 9; of bool, "normal" is even chance.
  std::string values;
  std::int64_t bound = 0;
  bool differentiable = true;
};

/// Returns the sizes that the rows name, at one of the three.
std::map<char, std::int64_t> sweep_sizes(int size);
/// Parses the inputs of a row. A dtype that is not stated after a colon in the values is `dtype`.
std::vector<InputSpec> parse_inputs(const std::string& text, DType dtype, int size);
/// Draws the tensors. Equal inputs of consecutive calls are drawn once.
SweepInputs draw_inputs(const std::vector<InputSpec>& specs, int size, bool requires_grad);
/// Returns the tensor that a row calls `name`.
Tensor& input_named(SweepInputs& in, char name);

}  // namespace taper::bench
