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

Value renamed(const Source& source, const Value& value, const Rewrite& how, Rewritten& done) {
  Value out = Value::dict();
  taper::Dict& to = out.as_dict();
  const taper::Dict& from = value.as_dict();
  to.set_class_name(from.class_name());
  std::map<std::string, std::string> old_names;
  for (const auto& [key, item] : from) {
    const std::string& name = key.as_string();
    if (!how.keys.empty() && std::none_of(how.keys.begin(), how.keys.end(),
                                          [&](const std::string& p) { return selects(p, name); })) {
      ++done.left_out;
      continue;
    }
    std::string now = how.prefix + how.renames(name);
    const auto [other, is_new] = old_names.emplace(now, name);
    if (!is_new)
      throw taper::KeyError(fmt::format(
          "{}: duplicate name: '{}' and '{}' would both be named '{}'", printable(source.file),
          printable(other->second), printable(name), printable(now)));
    done.renamed += now != name;
    ++done.kept;
    to.set(std::move(now), item);
  }
  if (const Value* metadata = from.attribute("__metadata__"))
    to.set_attribute("__metadata__", *metadata);
  // The state dict versions are stored by module name, so they are invalid after renaming.
  if (const Value* versions = from.attribute("_metadata"); versions && !done.renamed)
    to.set_attribute("_metadata", *versions);
  if (to.empty() && !from.empty())
    throw taper::KeyError(printable(source.file) + ": no tensor name matches --keys");
  return out;
}

}  // namespace

Rewritten rewrite(const Source& source, const Rewrite& how) {
  Rewritten done{how.flatten ? flattened(source.value) : source.value};
  if (how.of_names()) {
    if (!is_named_tensors(done.value))
      throw taper::TypeError(printable(source.file) +
                             ": names can only be changed in a dict of tensors" +
                             advice(done.value));
    done.value = renamed(source, done.value, how, done);
  }
  if (how.dtype) {
    try {
      Conversion c = converted(done.value, *how.dtype, how.scratch_folder);
      done.value = std::move(c.value);
      done.converted = c.converted, done.overflowed = c.overflowed;
    } catch (const taper::IoError&) { throw; } catch (const taper::Error& error) {
      taper::throw_error(error.kind(), printable(source.file) + ": " + error.what());
    }
  }
  return done;
}

}  // namespace taper::cli
