#include <string>

#include "io/assemble.h"
#include "target.h"

void taper::fuzz::pickle(Bytes input) {
  static_cast<void>(read(bytes_of(test::checkpoint(text_of(input)))));
}
