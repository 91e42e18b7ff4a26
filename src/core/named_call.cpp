#include "core/named_call.h"

#include <algorithm>
#include <string>

namespace taper {

void rethrow_as(std::string_view function, const Error& error) {
  const std::string_view text = error.message();
  const std::size_t colon = text.find(": ");
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  if (error.context() || colon == std::string_view::npos ||
      !std::ranges::all_of(text.substr(0, colon), in_name))
    throw;
  throw_error(error.kind(), std::string(function) + std::string(text.substr(colon)));
}

}  // namespace taper
