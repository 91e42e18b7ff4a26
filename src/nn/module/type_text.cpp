#include "nn/module/type_text.h"

namespace taper::nn {

std::string legacy_type(const Tensor& t) {
  static constexpr std::string_view kNames[] = {"Double", "Float", "Half", "BFloat16", "Long",
                                                "Int",    "Short", "Char", "Byte",     "Bool"};
  const std::string device = t.device().str();
  std::string out = "torch.";
  if (!t.device().is_cpu()) out += device.substr(0, device.find(':')) + ".";
  out += kNames[static_cast<int>(t.dtype())];
  return out + "Tensor";
}

std::string qualified_name(const Module& m) {
  const std::string name(m.type_name());
  // Only the library's own classes have a place in PyTorch: those of namespace taper::nn.
  if (!std::string_view(typeid(m).name()).starts_with("N5taper2nn")) return name;
  // The first row whose word the name contains says the file of PyTorch.
  static constexpr std::string_view kFiles[][2] = {
      {"Conv", "conv"},
      {"BatchNorm", "batchnorm"},
      {"InstanceNorm", "instancenorm"},
      {"Norm", "normalization"},
      {"Pool", "pooling"},
      {"Dropout", "dropout"},
      {"Loss", "loss"},
      {"Pad", "padding"},
      {"Linear", "linear"},
      {"Identity", "linear"},
      {"latten", "flatten"},
      {"Sequential", "container"},
      {"Module", "container"},
      {"ParameterList", "container"},
      {"ParameterDict", "container"},
      {"", "activation"},
  };
  for (const auto& [word, file] : kFiles)
    if (name.find(word) != std::string::npos)
      return "torch.nn.modules." + std::string(file) + "." + name;
  return name;
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
