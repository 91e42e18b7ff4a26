#include "nn/module/fail.h"

namespace taper::nn {

std::string filled(std::string_view form, std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    const std::size_t hole = form.find("{}");
    out.append(form.substr(0, hole)) += part;
    form.remove_prefix(hole + 2);
  }
  return out.append(form);
}

}  // namespace taper::nn
