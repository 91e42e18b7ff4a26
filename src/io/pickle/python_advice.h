// Advice to convert a file in Python, which executes the calls of its pickles.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace taper::io {

/// Returns a sentence that advises to do `what` in Python with a file ("load it and save it
/// again"), preceded by a space. It depends on a scan of the pickles in the file: the advice is
/// given only to those who trust the author if the file names code of other projects, or may
/// (`contains_code`: its format is not limited to pickles), and not at all if a name is dangerous.
std::string python_advice(std::span<const std::byte> bytes, std::string_view what,
                          bool contains_code = false);

}  // namespace taper::io
