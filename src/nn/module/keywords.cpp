#include "nn/module/keywords.h"

#include <algorithm>

#include "core/check.h"
#include "nn/registry/signature.h"
#include "taper/core/dict.h"

namespace taper::nn {

void append_keywords(const Module& module, std::string_view signature, Values& args,
                     const Value& kwargs) {
  const std::vector<SignatureEntry> entries = parse_signature(signature);
  std::vector<const Value*> named(entries.size(), nullptr);
  std::size_t count = args.size();
  for (const auto& [key, value] : kwargs.as_dict()) {
    const std::string& name = key.as_string();
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const SignatureEntry& e) { return e.name == name; });
    if (at == entries.end())
      fail<TypeError>("{}.forward() got an unexpected keyword argument '{}'", module.type_name(),
                      name);
    const auto i = static_cast<std::size_t>(at - entries.begin());
    if (i < args.size())
      fail<TypeError>("{}.forward() got multiple values for argument '{}'", module.type_name(),
                      name);
    named[i] = &value;
    count = std::max(count, i + 1);
  }
  for (std::size_t i = args.size(); i < count; ++i) {
    if (!named[i] && entries[i].required)
      fail<TypeError>("{}.forward() missing 1 required positional argument: '{}'",
                      module.type_name(), entries[i].name);
    args.push_back(named[i] ? *named[i] : entries[i].fallback);
  }
}

}  // namespace taper::nn
