// All ops with their rows, and running one from its row alone.
#pragma once
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "ops/rows.h"
#include "taper/core/tensor.h"

namespace taper::optest {

struct OpCase {
  const OpTable* op;
  std::size_t index;  ///< of the row
  Row row;
  std::string name() const;       ///< "add/1"
  std::string test_name() const;  ///< "add_1", for Google Test
};
inline void PrintTo(const OpCase& c, std::ostream* out) { *out << c.name(); }
/// Every row of every op: an op without rows does not link.
const std::vector<OpCase>& all_cases();

/// Inputs for a row, the same for the same seed. `dtype` is that of inputs without one of their
/// own.
std::vector<Tensor> draw(const Row& row, DType dtype, unsigned seed);
/// Runs the op on the inputs (undefined ones are absent).
std::vector<Tensor> call(const OpTable& op, const void* attributes, const std::vector<Tensor>& ins);
inline std::vector<Tensor> call(const OpCase& c, const std::vector<Tensor>& ins) {
  return call(*c.op, c.row.attributes.get(), ins);
}

/// Layouts that the same values may come in.
enum class Variant { contiguous, transposed, offset, every_second, expanded, channels_last };
std::vector<Variant> variants();
const char* name_of(Variant v);
/// `x` in another layout (expanded: x[0] repeated); undefined if x's shape does not allow it.
Tensor relaid(const Tensor& x, Variant v);

/// Empty if `got` equals `expected` within the tolerance of their dtype, else what differs.
std::string difference(const Tensor& got, const Tensor& expected);

}  // namespace taper::optest
