#include "nn/container/pairs.h"

#include "core/check.h"

namespace taper::nn {
namespace {

bool is_sequence(const Value& v) { return v.is_list() || v.is_tuple() || v.is_set(); }

}  // namespace

std::vector<std::pair<Value, Value>> to_pairs(const Value& items, std::string_view method,
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
    const Values& key_and_value = pair.as_sequence();
    if (key_and_value.size() != 2)
      fail<ValueError>("{} #{} has length {}; 2 is required", element, j, key_and_value.size());
    pairs.emplace_back(key_and_value[0], key_and_value[1]);
    ++j;
  }
  return pairs;
}

}  // namespace taper::nn
