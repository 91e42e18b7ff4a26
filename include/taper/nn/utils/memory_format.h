// Weights of convolutions in another memory format.
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

/// Lays out the weights of all Conv2d in `module`, itself included, as `format` says; the
/// parameters stay the same objects, and nothing else is converted. PyTorch:
/// torch.nn.utils.convert_conv2d_weight_memory_format. Throws RuntimeError for channels_last_3d,
/// and changes nothing then.
template <class M> M& convert_conv2d_weight_memory_format(M& module, MemoryFormat format) {
  detail::convert_conv2d_weights(module, format);
  return module;
}
/// The same for Conv3d. PyTorch: torch.nn.utils.convert_conv3d_weight_memory_format. Throws
/// RuntimeError for channels_last.
template <class M> M& convert_conv3d_weight_memory_format(M& module, MemoryFormat format) {
  detail::convert_conv3d_weights(module, format);
  return module;
}

}  // namespace nn::utils
}  // namespace taper
