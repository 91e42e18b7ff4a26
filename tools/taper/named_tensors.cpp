#include "named_tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "contents.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "words.h"

namespace taper::cli {

using taper::Value;

bool is_named_tensors(const Value& v) {
  if (!v.is_dict()) return false;
  return std::all_of(v.as_dict().begin(), v.as_dict().end(), [](const auto& e) {
    return e.first.is_string() && (e.second.is_tensor() || taper::foreign_tensor(e.second));
  });
}

std::string advice(const Value& value) {
  const std::vector<std::string> paths = find_state_dicts(value);
  if (paths.empty() || paths.front().empty())
    return ". Use --flatten to collect all of its tensors in one dict";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(paths.size(), 4); ++i)
    text += (i ? ", " : "") + printable(paths[i]);
  return fmt::format(
      ". Its state dicts are: {}. Select one with --key {}, or collect all tensors with --flatten",
      text, printable(paths.front()));
}

Value flattened(const Value& value) {
  const Contents contents = contents_of(value);
  if (!contents.complete)
    throw taper::ValueError("--flatten: the checkpoint contains too many values");
  Value all = Value::dict();
  for (const TensorItem& t : contents.tensors) {
    if (all.contains(t.name))
      throw taper::KeyError("--flatten: duplicate tensor name '" + printable(t.name) + "'");
    all.as_dict().set(t.name, t.foreign     ? value_at_path(value, t.name)
                              : t.parameter ? Value::parameter(t.tensor)
                                            : Value(t.tensor));
  }
  return all;
}

}  // namespace taper::cli
