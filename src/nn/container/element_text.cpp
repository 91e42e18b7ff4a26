#include "nn/container/element_text.h"

namespace taper::nn {

std::string format_element(const std::string& name, const Value& element,
                           std::string (*type)(const Tensor&)) {
  std::string out = "  (" + name + "): ";
  if (!element.is_tensor()) return out + "Object of type: " + element.type_name();
  const Tensor& t = element.as_tensor();
  out += element.is_parameter() ? "Parameter containing: [" : "Tensor containing: [";
  out += type(t) + " of size ";
  for (std::int64_t d = 0; d < t.dim(); ++d) out += (d ? "x" : "") + std::to_string(t.size(d));
  // The device is printed unless it is the CPU or meta.
  if (!t.device().is_cpu() && !t.device().is_meta()) out += " (" + t.device().str() + ")";
  return out + "]";
}

}  // namespace taper::nn
