#include "nn/layers/text.h"

namespace taper::nn {

std::string tuple_text(const Shape& sizes) {
  std::string out = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + std::to_string(sizes[i]);
  return out + (sizes.size() == 1 ? ",)" : ")");
}

std::string sizes_text(const Shape& sizes) {
  return sizes.size() == 1 ? std::to_string(sizes[0]) : tuple_text(sizes);
}

Value sizes_value(const Shape& sizes) {
  return sizes.size() == 1 ? Value(sizes[0]) : tuple_value(sizes);
}
Value tuple_value(const Shape& sizes) { return Value::tuple({sizes.begin(), sizes.end()}); }

}  // namespace taper::nn
