// Parser of the declarations in OpInfo::inputs.
#pragma once
#include <cstdint>
#include <string_view>

namespace taper {

/// Declaration of one input: "input", "bias?" (optional), "tensors..." (any number).
struct InputDecl {
  enum class Kind : std::uint8_t { one, optional, list } kind = Kind::one;
  std::string_view name;
};

/// Calls f(declaration) for each input in order.
template <class F> void for_each_input_decl(std::string_view inputs, F&& f) {
  while (!inputs.empty()) {
    const std::size_t end = inputs.find(' ');
    const std::string_view word = inputs.substr(0, end);
    if (word.ends_with("..."))
      f(InputDecl{InputDecl::Kind::list, word.substr(0, word.size() - 3)});
    else if (word.ends_with('?'))
      f(InputDecl{InputDecl::Kind::optional, word.substr(0, word.size() - 1)});
    else
      f(InputDecl{InputDecl::Kind::one, word});
    inputs = end == std::string_view::npos ? std::string_view() : inputs.substr(end + 1);
  }
}

}  // namespace taper
