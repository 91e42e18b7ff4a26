// Precompiled header of the command-line tools.
#pragma once
#include <taper/taper.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
