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
  return t.to(format).detach();
}

}  // namespace taper::nn
