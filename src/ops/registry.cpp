// Registry of ops, and functions that use only an op's descriptor.
#include <algorithm>
#include <array>

#include "core/never_destroyed.h"
#include "ops/op.h"

namespace taper {

#define TAPER_OP(name) extern const OpDescriptor* const op_##name;
#include "ops/op_list.inc"
#undef TAPER_OP

namespace {

/// Returns the name of an op without the leading underscore of internal ops.
std::string_view sort_key(const OpDescriptor* op) {
  std::string_view name = op->info.name;
  if (name.starts_with('_')) name.remove_prefix(1);
  return name;
}

}  // namespace

std::span<const OpDescriptor* const> all_ops() {
  static const NeverDestroyed<std::vector<const OpDescriptor*>> ops([] {
    std::vector<const OpDescriptor*> all = {
#define TAPER_OP(name) op_##name,
#include "ops/op_list.inc"
#undef TAPER_OP
    };
    std::ranges::sort(all, {}, sort_key);
    return all;
  }());
  return *ops;
}

const OpDescriptor* find_op(std::string_view name) {
  const auto ops = all_ops();
  const auto found = std::find_if(ops.begin(), ops.end(),
                                  [&](const OpDescriptor* t) { return t->info.name == name; });
  return found == ops.end() ? nullptr : *found;
}

std::string print_op(const OpDescriptor& descriptor, const void* attributes) {
  std::string text(descriptor.info.name);
  text += '(';
  descriptor.fields(
      const_cast<void*>(attributes),
      [](void* context, std::string_view name, AttributeRef value) {
        auto& s = *static_cast<std::string*>(context);
        if (s.back() != '(') s += ", ";
        s += name;
        s += '=';
        s += format_attribute(value);
      },
      &text);
  return text + ')';
}

}  // namespace taper
