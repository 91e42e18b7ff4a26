#include "nn/registry/class_registry.h"

#include <algorithm>
#include <mutex>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "nn/module/class_name.h"
#include "nn/module/suggest.h"
#include "taper/nn/nn.h"

namespace taper::nn {

namespace {

using SchemaGetter = const ModuleSchema& (*)();
constexpr SchemaGetter kLayers[] = {
#define LAYER(Name) \
  []() -> const ModuleSchema& { return module_schema(static_cast<const Name*>(nullptr)); },
#include "nn/registry/layers.inc"
#undef LAYER
};

/// User-defined classes. Locked, because libraries that define them may be loaded and unloaded on
/// any thread.
struct UserClasses {
  std::mutex mutex;
  std::vector<const ModuleSchema*> schemas;
};
UserClasses& user_classes() {
  static NeverDestroyed<UserClasses> all;
  return *all;
}

template <class F> void for_each_schema(F f) {
  for (const SchemaGetter schema : kLayers) f(schema());
  UserClasses& users = user_classes();
  const std::lock_guard lock(users.mutex);
  for (const ModuleSchema* schema : users.schemas) f(*schema);
}

/// Returns true if `name` refers to the class: the class name alone, "torch.nn.Conv2d" or
/// "torch.nn.modules.conv.Conv2d" for a layer, or any path that ends with the name of a
/// user-defined class, since its Python module is unknown.
bool matches_name(const ModuleSchema& schema, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (name.substr(dot + 1) != schema.name) return false;
  if (dot == std::string_view::npos || schema.file.empty()) return true;
  const std::string_view path = name.substr(0, dot);
  return path == "torch.nn" || path == "torch.nn.modules" ||
         (path.starts_with("torch.nn.modules.") && path.substr(17) == schema.file);
}

/// Returns a suggestion for an unknown name. Empty if no name is similar, or if only the path
/// before the name is unknown.
std::string suggest_class(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  const std::vector<std::string> known = class_names();
  if (std::binary_search(known.begin(), known.end(), name)) return {};
  return did_you_mean("class", name, known);
}

bool has_torch_prefix(std::string_view name) { return name.starts_with("torch.nn."); }

}  // namespace

const ModuleSchema& find_schema(std::string_view name) {
  const ModuleSchema* found = nullptr;
  for_each_schema([&](const ModuleSchema& schema) {
    if (!matches_name(schema, name) || (schema.file.empty() && has_torch_prefix(name))) return;
    if (found && *found->type != *schema.type)
      fail<ValueError>("make: ambiguous class name '{}': {} and {}", schema.name,
                       class_name(*found->type), class_name(*schema.type));
    found = &schema;
  });
  if (!found) fail<AttributeError>("make: unknown module class '{}'{}", name, suggest_class(name));
  return *found;
}

const ModuleSchema* find_schema(const std::type_info& type) {
  const ModuleSchema* found = nullptr;
  for_each_schema([&](const ModuleSchema& schema) {
    if (*schema.type == type) found = &schema;
  });
  return found;
}

const ModuleSchema* schema_for(const Module& module) {
  const ModuleSchema *exact = nullptr, *displayed = nullptr;
  for_each_schema([&](const ModuleSchema& schema) {
    if (*schema.type == typeid(module)) exact = &schema;
    // After its first call, a lazy layer has the type name of another layer.
    if (!schema.file.empty() && schema.name == module.type_name()) displayed = &schema;
  });
  return exact && displayed && !exact->file.empty() ? displayed : exact;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for_each_schema([&](const ModuleSchema& schema) { names.emplace_back(schema.name); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace detail {

Registration::Registration(const ModuleSchema& schema) : schema_(schema) {
  UserClasses& users = user_classes();
  const std::lock_guard lock(users.mutex);
  users.schemas.push_back(&schema);
}
Registration::~Registration() {
  UserClasses& users = user_classes();
  const std::lock_guard lock(users.mutex);
  std::erase(users.schemas, &schema_);
}

}  // namespace detail

namespace {

/// Returns the name if no schema has it.
std::string unused_name(std::string_view name) {
  for_each_schema([&](const ModuleSchema& schema) {
    if (schema.name == name) fail<KeyError>("make: '{}' is already registered", name);
  });
  return std::string(name);
}

}  // namespace

FunctionRegistration::FunctionRegistration(std::string_view name, std::string_view signature,
                                           Function function)
    : name_(unused_name(name)),
      signature_(signature),
      schema_{name_, {}, signature_, &typeid(void), function, nullptr},
      registration_(schema_) {}

}  // namespace taper::nn
