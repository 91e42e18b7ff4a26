// DeepCopier: deep copies that preserve sharing. Objects shared by originals are copied once.
#pragma once
#include <unordered_map>

#include "nn/module/extra.h"

namespace taper::nn {

class DeepCopier {
 public:
  /// Returns a copy, the same one for each occurrence of `t`. Preserves the order of dimensions in
  /// memory, and the gradient if `grad` is true.
  Tensor tensor(const Tensor& t, bool grad = false);
  /// Returns a copy of a module owned by a shared pointer, the same one for each occurrence of `m`.
  std::shared_ptr<Module> module(const Module& m);
  /// Returns a copy of a value, including its containers, tensors and shared modules.
  Value value(const Value& v);
  /// Replaces the tensors, shared children and plain attributes of a shallow copy with copies.
  void deep_copy_members(Module& copy);

 private:
  Value copy_container(const Value& v, const void* identity);
  std::unordered_map<const void*, Tensor> tensors_;
  std::unordered_map<const Module*, std::shared_ptr<Module>> modules_;
  std::unordered_map<const void*, Value> containers_;
};

}  // namespace taper::nn
