// Precompiled header of the command-line tools.
#pragma once
#include <taper/taper.h>

#include <nlohmann/json.hpp>
