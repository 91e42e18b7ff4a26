#include "backend/op_schema.h"

#include "taper/backend/backend.h"

namespace taper::backend {
namespace {

std::string_view kind_name(AttributeRef::Kind kind) {
  constexpr std::string_view names[] = {"int",     "float",  "bool",  "int[]",  "scalar",
                                        "str",     "dtype",  "int?",  "float?", "int[]?",
                                        "scalar?", "dtype?", "opaque"};
  return names[static_cast<int>(kind)];
}

std::string comma_separated(std::string_view words) {
  std::string text;
  for (char c : words) text += c == ' ' ? std::string(", ") : std::string(1, c);
  return text;
}

}  // namespace

std::string op_schema(const OpDescriptor& descriptor) {
  std::string text(descriptor.info.name);
  text += '(' + comma_separated(descriptor.info.inputs) + ';';
  // Names and kinds of attributes are properties of the type, so they are read from a
  // default-constructed object.
  std::vector<std::byte> buffer(descriptor.size + descriptor.align);
  void* attributes =
      buffer.data() +
      (descriptor.align - reinterpret_cast<std::uintptr_t>(buffer.data()) % descriptor.align);
  descriptor.construct(attributes);
  descriptor.fields(
      attributes,
      [](void* context, std::string_view name, AttributeRef value) {
        auto& s = *static_cast<std::string*>(context);
        s += s.back() == ';' ? " " : ", ";
        s += std::string(name) + ": " + std::string(kind_name(value.kind));
      },
      &text);
  descriptor.end(attributes);
  if (text.back() == ';') text.pop_back();
  return text + ") -> " + comma_separated(descriptor.info.outputs);
}

std::string op_schema(std::string_view op) {
  const OpDescriptor* descriptor = find_op(op);
  if (!descriptor) fail<KeyError>("op_schema: unknown op '{}'", op);
  return op_schema(*descriptor);
}

}  // namespace taper::backend
