// Parser of calls and literals in Python's syntax.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace taper::cli {

/// Creates the value of a call from its name, positional arguments and dict of keyword arguments.
using MakeCall = std::function<taper::Value(const std::string& name, const taper::Values& args,
                                            const taper::Value& kwargs)>;

/// Parses `Name`, a call such as `Name(1, 2.5, (3, 3), bias=False, mode='same')` with literals and
/// calls as arguments, or a literal. Only `make` is called. Throws UsageError with the position of
/// a syntax error.
taper::Value parse_call(std::string_view text, const MakeCall& make);
/// Parses a literal. A bare word is a string. Throws UsageError.
taper::Value parse_literal(std::string_view text);

}  // namespace taper::cli
