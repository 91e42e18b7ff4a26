// Calls of ops drawn from bytes: a sample of an op with some of its arguments replaced.
#pragma once
#include <memory>
#include <vector>

#include "byte_source.h"
#include "ops/op_cases.h"

namespace taper::fuzz {

struct OpCall {
  const OpDescriptor* op;
  std::shared_ptr<void> attributes;
  std::vector<Tensor> ins;  ///< undefined: absent
};
/// Draws a call that need not be valid. Few arguments differ from those of a sample, so that many
/// calls reach a kernel.
OpCall draw_call(ByteSource& source);

}  // namespace taper::fuzz
