// MemoryFormat: order of the elements of a tensor in memory.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Order of the strides of a tensor. PyTorch: torch.contiguous_format, torch.preserve_format,
/// torch.channels_last, torch.channels_last_3d.
enum class MemoryFormat : std::uint8_t { contiguous, preserve, channels_last, channels_last_3d };
inline constexpr MemoryFormat contiguous_format = MemoryFormat::contiguous,
                              preserve_format = MemoryFormat::preserve,
                              channels_last = MemoryFormat::channels_last,
                              channels_last_3d = MemoryFormat::channels_last_3d;

/// Options of Tensor::to.
struct TensorToOptions {
  bool non_blocking = false;  ///< permits asynchronous copies on backends with streams
  bool copy = false;          ///< returns a copy even if nothing has to be converted
  /// Memory format of the result; the default does not convert it.
  std::optional<MemoryFormat> memory_format{};
};

}  // namespace taper
