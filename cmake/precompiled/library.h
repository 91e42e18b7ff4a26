// Precompiled header of the library: the headers that most of its sources include and that change
// rarely.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "taper/core/factory.h"
#include "taper/nn/layer.h"
