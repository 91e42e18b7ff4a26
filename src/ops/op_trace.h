// OpTrace: records a sequence of ops for inspection and replay.
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/observer.h"
#include "ops/attributes.h"

namespace taper {

/// Records every op that this thread runs during the lifetime of the trace, including those of
/// backward passes. Tensors are numbered in the order of first use. Handles of the same memory with
/// the same geometry count as one tensor, because backward passes create new handles of saved
/// tensors.
class OpTrace final : public Observer {
 public:
  OpTrace();
  ~OpTrace() override;
  OpTrace(const OpTrace&) = delete;
  OpTrace& operator=(const OpTrace&) = delete;

  /// Runs all recorded ops with `values` in place of `tensors` and returns the recomputed values of
  /// `wanted`. Tensors that were not computed by a recorded op are used with their current values.
  /// Throws ValueError if a tensor of `wanted` was not recorded or the numbers of tensors and
  /// values differ.
  std::vector<Tensor> replay(std::span<const Tensor> tensors, std::span<const Tensor> values,
                             std::span<const Tensor> wanted) const;
  /// Returns one line per op: "%2 = add(%0, %1, alpha=1)".
  std::string str() const;
  std::size_t size() const { return ops_.size(); }

  void after(const OpDescriptor& op, const void* attributes, std::span<const OpInput> ins,
             std::span<const Tensor> outs) override;

 private:
  struct Operand {
    int slot = -1;  ///< number of the tensor; -1 if the operand is a number or absent
    bool number = false;
    Scalar scalar{};
  };
  struct TracedOp {
    const OpDescriptor* op;
    Attributes attributes;
    std::vector<Operand> ins;
    std::vector<int> outs;  ///< numbers of the outputs; -1 if an output was not created
    bool in_place;
  };
  int slot_of(const Tensor& t);
  int find_slot(const Tensor& t) const;

  std::vector<TracedOp> ops_;
  std::vector<Tensor> tensors_;  ///< holds references, so that addresses are not reused
  std::unordered_map<const Storage*, std::vector<int>> slots_;  ///< numbers of tensors by storage
};

}  // namespace taper
