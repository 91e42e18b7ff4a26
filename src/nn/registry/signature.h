// Parser of Python signatures.
#pragma once
#include <string_view>
#include <vector>

#include "taper/core/value.h"

namespace taper::nn {

struct SignatureEntry {
  std::string_view name;
  enum class Kind : std::uint8_t { ordinary, keyword_only, rest, var_keyword } kind;
  bool required;
  Value fallback{};
};

/// Parses "a, b=1, *args, c='x', **kwargs". Defaults are literals: None, bools, numbers, strings
/// without escapes, and ().
std::vector<SignatureEntry> parse_signature(std::string_view text);

}  // namespace taper::nn
