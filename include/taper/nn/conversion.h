// What a module is converted to.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/tensor.h"

namespace taper {

/// How the elements of a tensor lie in memory. PyTorch: torch.contiguous_format,
/// torch.preserve_format, torch.channels_last, torch.channels_last_3d.
enum class MemoryFormat : std::uint8_t { contiguous, preserve, channels_last, channels_last_3d };
inline constexpr MemoryFormat contiguous_format = MemoryFormat::contiguous,
                              preserve_format = MemoryFormat::preserve,
                              channels_last = MemoryFormat::channels_last,
                              channels_last_3d = MemoryFormat::channels_last_3d;

namespace nn {

/// The keyword arguments of `to`. There is no `copy`: PyTorch's Module.to refuses it.
struct ToOptions {
  bool non_blocking = false;  ///< copies may end later where the backend has streams
  /// Strides of tensors with four or five dimensions; the others stay as they are.
  std::optional<MemoryFormat> memory_format{};
};

/// What `to` converts to: a dtype (floating tensors only), a device, both, another tensor's, or a
/// memory format. Throws TypeError for a dtype that is not floating.
struct Conversion {
  TAPER_FACTORY_OPTIONS
  ToOptions options{};

  Conversion(DType type);
  Conversion(Device where) : device(where) {}
  Conversion(const char* where) : device(Device(where)) {}
  Conversion(Device where, DType type);
  Conversion(const Tensor& like);
  Conversion(MemoryFormat format) : options{.memory_format = format} {}
  /// The same with options.
  Conversion with(const ToOptions& o) const {
    Conversion c = *this;
    c.options = o;
    return c;
  }
};

/// Should conversion put new Parameters into modules instead of changing the data of those that are
/// there? False unless set. PyTorch: torch.__future__.
void set_overwrite_module_params_on_conversion(bool value);
bool get_overwrite_module_params_on_conversion();
/// Should conversion exchange the contents of Parameters and keep the objects, to meta and back
/// too? False unless set; goes before the above. PyTorch: torch.__future__.
void set_swap_module_params_on_conversion(bool value);
bool get_swap_module_params_on_conversion();

}  // namespace nn
}  // namespace taper
