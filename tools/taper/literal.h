// Calls and literals as Python writes them.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace taper::cli {

/// Makes the value of a call: name, positional arguments, and a dict of named ones.
using MakeCall = std::function<taper::Value(const std::string& name, const taper::Values& args,
                                            const taper::Value& kwargs)>;

/// Reads `Name`, `Name(1, 2.5, (3, 3), bias=False, mode='same')`, whose arguments may be calls
/// again, and literals by themselves. Nothing but `make` is called. Throws UsageError with the
/// place.
taper::Value parse_call(std::string_view text, const MakeCall& make);
/// A literal; a bare word is a text.
taper::Value parse_literal(std::string_view text);

}  // namespace taper::cli
