// Lists of tensors as fields of options structs.
#pragma once
#include <initializer_list>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// List of tensors of an options struct, which may also be one tensor: `{.inputs = x}`,
/// `{.inputs = {x, y}}`, or a vector. An undefined tensor means an empty list.
class TensorList : public std::vector<Tensor> {
 public:
  TensorList() noexcept = default;
  TensorList(std::initializer_list<Tensor> tensors) : vector(tensors) {}
  TensorList(std::vector<Tensor> tensors) noexcept : vector(std::move(tensors)) {}
  TensorList(Tensor tensor) {
    if (tensor.defined()) push_back(std::move(tensor));
  }
};

}  // namespace taper
