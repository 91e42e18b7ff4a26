// The record of a run of ops: what a graph is captured from, and what can be run again.
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ambient.h"
#include "ops/attributes.h"

namespace taper {

/// Writes down every op this thread runs while it lives, those of backward passes included. Tensors
/// are known by the order in which they were first seen; handles that look at the same memory in
/// the same way are one, since backward passes see what they saved through handles of their own.
class Record final : public Observer {
 public:
  Record();
  ~Record() override;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// Runs everything again, with `values` in place of `tensors`; gives what took the place of
  /// `wanted`. What was not computed by the record is used as it is now. Throws ValueError for a
  /// wanted tensor the record never saw.
  std::vector<Tensor> replay(std::span<const Tensor> tensors, std::span<const Tensor> values,
                             std::span<const Tensor> wanted) const;
  /// A line for each op: "%2 = add(%0, %1, alpha=1)".
  std::string str() const;
  std::size_t size() const { return steps_.size(); }

  void after(const OpTable& op, const void* attributes, std::span<const In> ins,
             std::span<const Tensor> outs) override;

 private:
  struct Operand {
    int slot = -1;  ///< -1: a number, or absent
    bool number = false;
    Scalar scalar{};
  };
  struct Step {
    const OpTable* op;
    Attributes attributes;
    std::vector<Operand> ins;
    std::vector<int> outs;  ///< -1: not made
    bool in_place;
  };
  int slot_of(const Tensor& t);
  int known(const Tensor& t) const;

  std::vector<Step> steps_;
  std::vector<Tensor> seen_;  ///< keeps them alive, so that no address comes twice
  std::unordered_map<const Storage*, std::vector<int>> slots_;  ///< by the memory they look at
};

}  // namespace taper
