// Breaks reference cycles in unpickled values by replacing back references with placeholders.
// Values are reference-counted, so that a cycle would never be released.
#pragma once
#include "taper/core/shared_function.h"
#include "taper/core/value.h"

namespace taper::io {

/// Walks `root` in pickling order and replaces each reference to the current value or one of its
/// ancestors by a placeholder. Calls `count` once per object that gets a placeholder. Returns
/// false, leaving the cycle, if the ancestor is not an opaque object constructed without arguments,
/// such as a list or a dict.
bool break_cycles(const Value& root, const SharedFunction<void()>& count);

/// Returns the tuple that identifies the object that a placeholder refers to: the tuple is shared
/// with the `arguments` of that object only. Returns null if `object` is not a placeholder.
const Values* placeholder_target(const Opaque& object);

}  // namespace taper::io
