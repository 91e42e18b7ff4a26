#include <string>

#include "target.h"

void taper::fuzz::zip(Bytes input) {
  // The first bytes are replaced by the magic number, so that the input is read as a zip file.
  constexpr std::string_view kMagic = "PK\3\4";
  std::string file(kMagic);
  file += text_of(input).substr(std::min(input.size(), kMagic.size()));
  static_cast<void>(read(bytes_of(file)));
}
