#include "target.h"

void taper::fuzz::load(Bytes input) { read(input); }
