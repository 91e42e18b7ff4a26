// Arguments of Module::to: dtype, device, memory format.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

namespace nn {

/// Options of Module::to. As in PyTorch, `copy` is an option of Tensor::to only.
struct ToOptions {
  bool non_blocking = false;  ///< permits asynchronous copies on backends with streams
  /// Memory format of tensors with four or five dimensions; tensors of other ranks are unchanged.
  std::optional<MemoryFormat> memory_format{};
};

/// Target of Module::to: a dtype, which applies to floating-point tensors only, a device, both, the
/// dtype and device of another tensor, or a memory format. Throws TypeError if the dtype is not a
/// floating-point type.
struct Conversion {
  TAPER_FACTORY_OPTIONS
  ToOptions options{};

  Conversion(DType type);
  Conversion(Device where) : device(where) {}
  Conversion(const char* where) : device(Device(where)) {}
  Conversion(Device where, DType type);
  Conversion(const Tensor& like);
  Conversion(MemoryFormat format) : options{.memory_format = format} {}
  /// Returns a copy with the given options.
  Conversion with(const ToOptions& o) const {
    Conversion c = *this;
    c.options = o;
    return c;
  }
};

/// Sets or returns whether conversions assign new Parameters to modules instead of replacing the
/// data of the existing ones. Default: false. PyTorch: torch.__future__.
void set_overwrite_module_params_on_conversion(bool value);
bool get_overwrite_module_params_on_conversion();
/// Sets or returns whether conversions exchange the contents of Parameters and preserve the
/// objects, including conversions to and from meta. Takes precedence over
/// `overwrite_module_params_on_conversion`. Default: false. PyTorch: torch.__future__.
void set_swap_module_params_on_conversion(bool value);
bool get_swap_module_params_on_conversion();

}  // namespace nn
}  // namespace taper
