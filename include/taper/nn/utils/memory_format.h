// Conversion of convolution weights to a memory format.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/conversion.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn::utils {

namespace detail {
void convert_conv2d_weights(Module& module, MemoryFormat format);
void convert_conv3d_weights(Module& module, MemoryFormat format);
}  // namespace detail

/// Converts the weights of all Conv2d in `module`, including itself, to `format`; returns the
/// module. Parameters remain the same objects, and no other tensor is converted. Throws
/// RuntimeError, without converting any weight, for channels_last_3d.
/// PyTorch: torch.nn.utils.convert_conv2d_weight_memory_format.
template <class M> M& convert_conv2d_weight_memory_format(M& module, MemoryFormat format) {
  detail::convert_conv2d_weights(module, format);
  return module;
}
/// Converts the weights of all Conv3d in `module`, including itself, to `format`; returns the
/// module. Parameters remain the same objects, and no other tensor is converted. Throws
/// RuntimeError, without converting any weight, for channels_last.
/// PyTorch: torch.nn.utils.convert_conv3d_weight_memory_format.
template <class M> M& convert_conv3d_weight_memory_format(M& module, MemoryFormat format) {
  detail::convert_conv3d_weights(module, format);
  return module;
}

}  // namespace nn::utils
}  // namespace taper
