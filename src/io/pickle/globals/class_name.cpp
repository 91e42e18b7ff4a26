#include "io/pickle/globals/class_name.h"

#include "taper/io/pickle_scan.h"

namespace taper::io {

std::string global_name(std::string_view module, std::string_view name) {
  return std::string(module).append(".").append(name);
}
std::string global_name(const Value& global) {
  const auto [module, name] = global.as_global();
  return global_name(module, name);
}

bool is_class_name(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  while (name.starts_with('_')) name.remove_prefix(1);
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
}

bool is_nested_name(std::string_view module, std::string_view name) {
  constexpr std::size_t kMaxLength =
      150;  // limits memory, because each occurrence in a file is copied
  if (module.size() + name.size() > kMaxLength || name.ends_with('.')) return false;
  const std::size_t inner = name.rfind('.');
  if (inner == std::string_view::npos) return false;
  for (std::size_t dot = inner; dot != std::string_view::npos;
       dot = dot == 0 ? std::string_view::npos : name.rfind('.', dot - 1))
    if (!is_class_name(name.substr(0, dot))) return false;
  return classify_global(global_name(module, name), false) != PickleRisk::dangerous;
}

}  // namespace taper::io
