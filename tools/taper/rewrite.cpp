#include "rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dtypes.h"
#include "named_tensors.h"
#include "taper/core/error.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {

using taper::Value;

namespace {

Value rename_entries(const Source& source, const Value& value, const Rewrite& options,
                     RewriteResult& result) {
  Value out = Value::dict();
  taper::Dict& to = out.as_dict();
  const taper::Dict& from = value.as_dict();
  to.set_class_name(from.class_name());
  std::map<std::string, std::string> old_names;
  for (const auto& [key, item] : from) {
    const std::string& name = key.as_string();
    if (!options.keys.empty() &&
        std::none_of(options.keys.begin(), options.keys.end(),
                     [&](const std::string& p) { return matches_name_or_module(p, name); })) {
      ++result.left_out;
      continue;
    }
    std::string new_name = options.prefix + options.renames(name);
    const auto [other, is_new] = old_names.emplace(new_name, name);
    if (!is_new)
      throw taper::KeyError(fmt::format(
          "{}: duplicate name: '{}' and '{}' would both be named '{}'", printable(source.file),
          printable(other->second), printable(name), printable(new_name)));
    result.renamed += new_name != name;
    ++result.kept;
    to.set(std::move(new_name), item);
  }
  if (const Value* metadata = from.attribute("__metadata__"))
    to.set_attribute("__metadata__", *metadata);
  // The state dict versions are stored by module name, so they are invalid after renaming.
  if (const Value* versions = from.attribute("_metadata"); versions && !result.renamed)
    to.set_attribute("_metadata", *versions);
  if (to.empty() && !from.empty())
    throw taper::KeyError(printable(source.file) + ": no tensor name matches --keys");
  return out;
}

}  // namespace

RewriteResult rewrite(const Source& source, const Rewrite& options) {
  RewriteResult result{options.flatten ? flattened(source.value) : source.value};
  if (options.changes_names()) {
    if (!is_named_tensors(result.value))
      throw taper::TypeError(printable(source.file) +
                             ": names can only be changed in a dict of tensors" +
                             advice(result.value));
    result.value = rename_entries(source, result.value, options, result);
  }
  if (options.dtype) {
    try {
      Conversion c = converted(result.value, *options.dtype, options.scratch_folder);
      result.value = std::move(c.value);
      result.converted = c.converted, result.overflowed = c.overflowed;
    } catch (const taper::IoError&) { throw; } catch (const taper::Error& error) {
      taper::throw_error(error.kind(), printable(source.file) + ": " + error.what());
    }
  }
  return result;
}

}  // namespace taper::cli
