// Warnings.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {

/// Passes `text` to the warning handler. The default handler prints "taper: warning: text" to
/// standard error, each text once per process.
void warn(const std::string& text);
/// Replaces the warning handler of the process and returns the previous one. An empty handler
/// suppresses warnings.
SharedFunction<void(const std::string&)> set_warning_handler(
    SharedFunction<void(const std::string&)> handler);

}  // namespace taper
