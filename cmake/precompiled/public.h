// Precompiled header of models and examples.
#pragma once
#include <taper/taper.h>
