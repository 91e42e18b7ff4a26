// Functions that run cases of tables and of tar archives, which are part of family images.
#pragma once
#include "kit/values.h"

namespace taper::oracle {

void run_csv(Case& c, Generators& generators);
void run_csv_error(Case& c, Generators& generators);
void run_shards(Case& c, Generators& generators);
void run_shards_error(Case& c, Generators& generators);

}  // namespace taper::oracle
