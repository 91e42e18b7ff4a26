// view_info: declaration shared by the ops that return a view of their input.
#pragma once
#include "ops/op.h"

namespace taper::view {

constexpr OpInfo view_info(std::string_view name, std::string_view node) {
  return {.name = name, .node = node, .inputs = "input", .dtypes = DTypeSet::every, .view = true};
}

}  // namespace taper::view
