#include <string>

#include "io/assemble.h"
#include "target.h"

void taper::fuzz::safetensors(Bytes input) {
  if (input.size() < 2) return;
  const std::string_view rest = text_of(input).substr(2);
  const std::size_t length =
      (std::to_integer<std::size_t>(input[0]) | std::to_integer<std::size_t>(input[1]) << 8) %
      (rest.size() + 1);
  static_cast<void>(read(bytes_of(test::safetensors(rest.substr(0, length), rest.substr(length)))));
}
