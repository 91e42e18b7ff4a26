#include <string>

#include "io/assemble.h"
#include "target.h"

void taper::fuzz::legacy(Bytes input) {
  static_cast<void>(read(bytes_of(test::legacy(text_of(input), "", ""))));
}
