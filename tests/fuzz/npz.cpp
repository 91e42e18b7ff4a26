#include <string>

#include "target.h"

void taper::fuzz::npz(Bytes input) {
  // An archive or an array file is read unchanged; any other input becomes the header of an array.
  const std::string_view text = text_of(input);
  constexpr std::string_view kMagic = "\x93NUMPY";
  const bool is_whole = text.starts_with("PK") || text.starts_with(kMagic);
  const std::string file = is_whole ? std::string(text) : std::string(kMagic) + std::string(text);
  static_cast<void>(read(bytes_of(file)));
}
