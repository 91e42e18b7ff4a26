#include "nn/module/memory_format.h"

#include "core/check.h"
#include "taper/nn/parameter.h"

namespace taper::nn {

void check_memory_format(const Tensor& t, MemoryFormat format) {
  if (is_lazy(t) || (t.dim() != 4 && t.dim() != 5)) return;
  if (format == MemoryFormat::channels_last && t.dim() != 4)
    fail<RuntimeError>("required rank 4 tensor to use channels_last format");
  if (format == MemoryFormat::channels_last_3d && t.dim() != 5)
    fail<RuntimeError>("required rank 5 tensor to use channels_last_3d format");
}

Tensor to_memory_format(const Tensor& t, MemoryFormat format) {
  if (is_lazy(t) || (t.dim() != 4 && t.dim() != 5)) return t;
  switch (format) {
    case MemoryFormat::preserve: return t;
    case MemoryFormat::contiguous: return t.contiguous();
    case MemoryFormat::channels_last:
      return t.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2}).detach();
    case MemoryFormat::channels_last_3d:
      return t.permute({0, 2, 3, 4, 1}).contiguous().permute({0, 4, 1, 2, 3}).detach();
  }
  return t;
}

}  // namespace taper::nn
