#include "nn/layers/adaptive_size.h"

namespace taper::nn {

std::string adaptive_text(const AdaptiveSize& output_size) {
  const auto one = [](std::optional<std::int64_t> n) { return n ? std::to_string(*n) : "None"; };
  const auto& sizes = output_size.sizes();
  if (sizes.size() == 1) return "output_size=" + one(sizes[0]);
  std::string out = "output_size=(";
  for (std::size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + one(sizes[i]);
  return out + ")";
}

AdaptiveSize adaptive_size(const Value& value) {
  const auto one = [](const Value& v) {
    return v.is_none() ? std::nullopt : std::optional(v.as_int());
  };
  std::vector<std::optional<std::int64_t>> sizes;
  if (value.is_list() || value.is_tuple())
    for (const Value& v : value.as_sequence()) sizes.push_back(one(v));
  else
    sizes.push_back(one(value));
  return sizes;
}
Value adaptive_value(const AdaptiveSize& size) {
  Values all;
  for (const auto& one : size.sizes()) all.push_back(one ? Value(*one) : Value());
  return all.size() == 1 ? all[0] : Value::tuple(std::move(all));
}

}  // namespace taper::nn
