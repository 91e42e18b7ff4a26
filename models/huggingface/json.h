// JSON files as values.
#pragma once
#include <string>
#include <string_view>

#include "taper/core/value.h"

namespace huggingface {

/// Converts JSON text to a value: objects become dicts in the order of the text. `name` precedes
/// the messages of errors. Throws taper::IoError for invalid JSON.
taper::Value parse_json(std::string_view text, const std::string& name);

/// Reads a JSON file. Throws taper::IoError if the file cannot be read or is not valid JSON.
taper::Value read_json(const std::string& path);

/// Writes a value of dicts, lists, numbers, strings, bools and None as an indented JSON file.
/// Throws taper::IoError if writing fails, taper::TypeError for other values.
void write_json(const std::string& path, const taper::Value& value);

}  // namespace huggingface
