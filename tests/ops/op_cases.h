// All ops with their samples, and functions that run an op on a sample.
#pragma once
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ops/samples.h"
#include "taper/core/tensor.h"

namespace taper::optest {

struct OpCase {
  const OpDescriptor* op;
  std::size_t index;  ///< index of the sample
  SampleInput sample;
  std::string name() const;       ///< name for messages, such as "add/1"
  std::string test_name() const;  ///< name for Google Test, such as "add_1"
  /// Returns true if an input has the dtype under test instead of a fixed dtype.
  bool takes_dtype() const;
  /// Returns the dtypes that the op declares and the attributes allow, or only the first of them if
  /// all inputs have fixed dtypes.
  std::vector<DType> dtypes() const;
};
inline void PrintTo(const OpCase& c, std::ostream* out) { *out << c.name(); }
/// Returns every sample of every op. An op without samples does not link.
const std::vector<OpCase>& all_cases();
/// Returns the name in op_list.inc, which does not begin with an underscore.
std::string_view listed_name(const OpDescriptor& op);
/// Returns all dtypes of the library.
std::vector<DType> all_dtypes();
/// Returns float32 if the op supports it, otherwise the first dtype that the op declares.
DType main_dtype(const OpDescriptor& op);

/// Returns random inputs for a sample, equal for equal seeds. Inputs without a fixed dtype have
/// `dtype`.
std::vector<Tensor> draw(const SampleInput& sample, DType dtype, unsigned seed);
/// Runs the op on the inputs and returns its outputs. Undefined tensors are absent inputs.
std::vector<Tensor> call(const OpDescriptor& op, const void* attributes,
                         const std::vector<Tensor>& ins);
inline std::vector<Tensor> call(const OpCase& c, const std::vector<Tensor>& ins) {
  return call(*c.op, c.sample.attributes.get(), ins);
}

/// Memory layouts of the same values.
enum class Variant { contiguous, transposed, offset, every_second, expanded, channels_last };
std::vector<Variant> variants();
const char* name_of(Variant v);
/// Returns `x` in another layout (expanded: x[0] repeated); undefined if the shape of x does not
/// allow it.
Tensor relaid(const Tensor& x, Variant v);

/// Returns an empty string if `got` equals `expected` within the tolerance of their dtype,
/// otherwise a description of the difference.
std::string difference(const Tensor& got, const Tensor& expected);

}  // namespace taper::optest
