#include "nn/module/class_name.h"

#include <cxxabi.h>

#include <cstdlib>

#include "core/check.h"
#include "taper/nn/module_base.h"

namespace taper::nn {

std::string class_name(const std::type_info& type) {
  int status = 0;
  char* const text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const std::string name = status == 0 ? text : type.name();
  std::free(text);
  return name;
}

void detail::throw_other_class(const Module* module, const std::type_info& wanted) {
  if (!module) fail<TypeError>("as: got a null pointer, expected a {}", class_name(wanted));
  fail<TypeError>("as: the module is not a {}, but a {}: {}", class_name(wanted),
                  class_name(typeid(*module)), module->str());
}

}  // namespace taper::nn
