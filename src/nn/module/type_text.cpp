#include "nn/module/type_text.h"

#include "core/check.h"
#include "core/dtype_table.h"
#include "nn/registry/class_registry.h"

namespace taper::nn {

std::string legacy_type(const Tensor& t) {
  const std::string device = t.device().str();
  std::string out = "torch.";
  if (!t.device().is_cpu()) out += device.substr(0, device.find(':')) + ".";
  out += names_of(t.dtype()).scalar;
  return out + "Tensor";
}

std::string qualified_name(const Module& m) {
  const ModuleSchema* schema = schema_for(m);
  if (!schema || schema->file.empty()) return std::string(m.type_name());
  return format_message("torch.nn.modules.{}.{}", schema->file, schema->name);
}

std::string type_text(const Value& v) {
  if (v.is_tensor()) return legacy_type(v.as_tensor());
  if (v.is_module()) {
    const Module* m = module_of(v);
    return m ? qualified_name(*m) : v.type_name();
  }
  const std::string text = v.class_text();  // <class 'int'>
  const std::size_t begin = text.find('\''), end = text.rfind('\'');
  return end > begin ? text.substr(begin + 1, end - begin - 1) : text;
}

}  // namespace taper::nn
