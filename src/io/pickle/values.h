// What the pickle machine asks of the values it makes.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace taper::io {

/// Decimal text of a two's complement little-endian number of at least one byte.
std::string decimal(std::string_view little_endian);
/// The i-th value that `v` holds itself, in the order in which they are written; null after the
/// last.
const Value* part_of(const Value& v, std::size_t i);
/// Which container it is; null for what holds no other values.
const void* identity(const Value& v);
/// How many items a walk meets that knows nothing of sharing; infinite if a container is inside of
/// itself.
double size_as_tree(const Value& root);
/// Whether hashing and comparing takes a bounded time: shared tuples may spell an endless tree.
bool is_bounded_key(const Value& key);
/// Where in the value under construction the machine stands: `["model"]["0.weight"]`, from the keys
/// that wait on its stack. Empty outside of dicts.
std::string stack_position(std::span<const Value> stack, std::span<const std::size_t> marks);

}  // namespace taper::io
