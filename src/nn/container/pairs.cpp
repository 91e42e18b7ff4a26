#include "nn/container/pairs.h"

#include "core/check.h"

namespace taper::nn {
namespace {

bool is_sequence(const Value& v) { return v.is_list() || v.is_tuple() || v.is_set(); }

}  // namespace

std::vector<std::pair<Value, Value>> pairs_of(const Value& items, std::string_view method,
                                              std::string_view element) {
  std::vector<std::pair<Value, Value>> pairs;
  if (items.is_dict()) {
    for (const auto& [key, v] : items.as_dict()) pairs.emplace_back(key, v);
    return pairs;
  }
  if (!is_sequence(items))
    fail<TypeError>("{} should be called with an iterable of key/value pairs, but got {}", method,
                    items.type_name());
  std::size_t j = 0;
  for (const Value& pair : items.as_sequence()) {
    if (!is_sequence(pair))
      fail<TypeError>("{} #{} should be Iterable; is{}", element, j, pair.type_name());
    const Values& both = pair.as_sequence();
    if (both.size() != 2)
      fail<ValueError>("{} #{} has length {}; 2 is required", element, j, both.size());
    pairs.emplace_back(both[0], both[1]);
    ++j;
  }
  return pairs;
}

}  // namespace taper::nn
