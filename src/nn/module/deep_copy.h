// Copies that share nothing with their originals, but among themselves what those shared.
#pragma once
#include <unordered_map>

#include "nn/module/extra.h"

namespace taper::nn {

class DeepCopier {
 public:
  /// A tensor of its own, the same for all places that held the same. Strides stay; the gradient
  /// goes along with `grad`.
  Tensor tensor(const Tensor& t, bool grad = false);
  /// The copy of a module that a shared pointer holds.
  std::shared_ptr<Module> module(const Module& m);
  /// A value, its containers, and the tensors and shared modules in it.
  Value value(const Value& v);
  /// Gives a shallow copy of a module tensors, shared children and plain attributes of its own.
  void separate(Module& copy);

 private:
  Value made_of(const Value& v, const void* identity);
  std::unordered_map<const void*, Tensor> tensors_;
  std::unordered_map<const Module*, std::shared_ptr<Module>> modules_;
  std::unordered_map<const void*, Value> containers_;
};

}  // namespace taper::nn
