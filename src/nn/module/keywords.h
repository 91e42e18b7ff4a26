// Keyword arguments of layers whose forward has optional arguments.
#pragma once
#include <string_view>

#include "taper/nn/module_base.h"

namespace taper::nn {

/// Appends keyword arguments to the positional arguments of forward, with the given signature in
/// Python syntax: "query, key, value, need_weights=True". Throws TypeError for unknown, repeated or
/// missing arguments.
void append_keywords(const Module& module, std::string_view signature, Values& args,
                     const Value& kwargs);

}  // namespace taper::nn
