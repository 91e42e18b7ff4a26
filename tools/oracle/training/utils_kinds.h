// The kinds of the family utils.
#pragma once
#include <map>
#include <string>

#include "cases/case.h"

namespace taper::oracle {

using UtilsKinds = std::map<std::string, void (*)(Case&)>;

void add_averaging_kinds(UtilsKinds& kinds);
void add_error_kinds(UtilsKinds& kinds);
void add_prune_kinds(UtilsKinds& kinds);
void add_sequence_kinds(UtilsKinds& kinds);

}  // namespace taper::oracle
