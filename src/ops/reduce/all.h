#pragma once
#include "ops/op.h"

namespace taper {

/// Whether all elements over `dim` (none given: over all) differ from 0, or any does.
template <bool Any> struct Holds {
  std::optional<Shape> dim{};
  bool keepdim = false;
  TAPER_ATTRIBUTES(dim, keepdim)
  static constexpr OpInfo op{.name = Any ? "any" : "all", .inputs = "input", .cpu = true};
  void infer(Infer& i) const;
};

/// How many elements over `dim` differ from 0.
struct CountNonzero {
  std::optional<Shape> dim{};
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "count_nonzero", .inputs = "input", .cpu = true};
  void infer(Infer& i) const;
};

}  // namespace taper
