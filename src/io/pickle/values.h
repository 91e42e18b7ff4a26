// Helpers of the pickle machine for values.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace taper::io {

/// Returns the decimal digits of a little-endian two's complement number of at least one byte.
std::string decimal(std::string_view little_endian);
/// Returns the i-th direct part of `v` in pickling order; null if `v` has at most i parts.
const Value* nth_child(const Value& v, std::size_t i);
/// Returns the address of a container or an opaque object; null for any other value.
const void* identity(const Value& v);
/// Returns the number of items in `root`, counting shared containers once per reference; infinity
/// if a container contains itself.
double expanded_size(const Value& root);
/// Returns true if hashing and comparing `key` takes bounded time. Nested shared tuples can expand
/// to an exponential number of items.
bool is_bounded_key(const Value& key);
/// Returns the path of the value under construction, such as `["model"]["0.weight"]`, from the keys
/// on the stack. Empty outside of dicts.
std::string stack_position(std::span<const Value> stack, std::span<const std::size_t> marks);

}  // namespace taper::io
