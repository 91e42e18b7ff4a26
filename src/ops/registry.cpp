// The list of all ops, and what can be said of one by its table alone.
#include <algorithm>
#include <array>

#include "ops/op.h"

namespace taper {

#define TAPER_OP(name) extern const OpTable* const op_##name;
#include "ops/op_list.inc"
#undef TAPER_OP

std::span<const OpTable* const> all_ops() {
  static const std::vector<const OpTable*> ops = {
#define TAPER_OP(name) op_##name,
#include "ops/op_list.inc"
#undef TAPER_OP
  };
  return ops;
}

const OpTable* find_op(std::string_view name) {
  const auto ops = all_ops();
  const auto found =
      std::find_if(ops.begin(), ops.end(), [&](const OpTable* t) { return t->info.name == name; });
  return found == ops.end() ? nullptr : *found;
}

std::string print_op(const OpTable& table, const void* attributes) {
  std::string text(table.info.name);
  text += '(';
  table.fields(
      const_cast<void*>(attributes),
      [](void* context, std::string_view name, AttributeRef value) {
        auto& s = *static_cast<std::string*>(context);
        if (s.back() != '(') s += ", ";
        s += name;
        s += '=';
        s += attribute_text(value);
      },
      &text);
  return text + ')';
}

}  // namespace taper
