// Objects that hold themselves: a module in a list of its own child, or in a method that it calls
// on its way. Values own what they hold, so such a circle is opened where it closes.
#pragma once
#include "taper/core/shared_function.h"
#include "taper/core/value.h"

namespace taper::io {

/// Walks `root`, parts in the order in which they are written, and puts a stand-in wherever an
/// object stands inside of itself. `count` is told of each object that gets one. False if a circle
/// is left that goes through no such object: lists and dicts alone.
bool break_cycles(const Value& root, const SharedFunction<void()>& count);

/// The tuple that tells which object an opaque value stands in for: that object's `arguments`, the
/// very same and nobody else's. Null for any other value.
const Values* placeholder_target(const Opaque& object);

}  // namespace taper::io
