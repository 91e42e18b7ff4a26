#include "target.h"

void taper::fuzz::load(Bytes input) { static_cast<void>(read(input)); }
