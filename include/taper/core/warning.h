// Warnings: things that are legal but probably not meant.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/function.h"

namespace TAPER_API taper {

/// Hands `text` to the handler (default: prints "taper: warning: text" to standard error).
void warn(const std::string& text);
/// Replaces the handler of the whole program; returns the old one. An empty one silences warnings.
Function<void(const std::string&)> set_warning_handler(Function<void(const std::string&)> handler);

}  // namespace taper
