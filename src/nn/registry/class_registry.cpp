#include "nn/registry/class_registry.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "core/check.h"
#include "nn/module/suggest.h"
#include "taper/nn/nn.h"

namespace taper::nn {

namespace {

using RowOf = const ClassRow& (*)();
constexpr RowOf kLayers[] = {
#define LAYER(Name) []() -> const ClassRow& { return row_of(static_cast<const Name*>(nullptr)); },
#include "nn/registry/layers.inc"
#undef LAYER
};

/// User-defined classes. Libraries that define them may be loaded and unloaded on any thread.
struct Registered {
  std::mutex mutex;
  std::vector<const ClassRow*> rows;
};
Registered& registered() {
  static Registered all;
  return all;
}

template <class F> void each_row(F f) {
  for (const RowOf row : kLayers) f(row());
  Registered& users = registered();
  const std::lock_guard lock(users.mutex);
  for (const ClassRow* row : users.rows) f(*row);
}

/// Returns true if `name` is a name of the class: "torch.nn.Conv2d" and
/// "torch.nn.modules.conv.Conv2d" of a layer, or any path that ends with the name of a user-defined
/// class, since its Python module is unknown.
bool is_called(const ClassRow& row, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (name.substr(dot + 1) != row.name) return false;
  if (dot == std::string_view::npos || row.file.empty()) return true;
  const std::string_view path = name.substr(0, dot);
  return path == "torch.nn" || path == "torch.nn.modules" ||
         (path.starts_with("torch.nn.modules.") && path.substr(17) == row.file);
}

/// Returns the C++ name with namespaces, to distinguish classes of the same name.
std::string full_name(const ClassRow& row) {
  int status = 0;
  char* const text = abi::__cxa_demangle(row.type->name(), nullptr, nullptr, &status);
  const std::string name = status == 0 ? text : row.type->name();
  std::free(text);
  return name;
}

/// Returns a suggestion for an unknown name. Empty if only the path before the name is unknown.
std::string hint(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  const std::vector<std::string> known = class_names();
  if (std::binary_search(known.begin(), known.end(), name)) return {};
  return did_you_mean("class", name, known);
}

bool is_of_torch(std::string_view name) { return name.starts_with("torch.nn."); }

}  // namespace

const ClassRow& row_named(std::string_view name) {
  const ClassRow* found = nullptr;
  each_row([&](const ClassRow& row) {
    if (!is_called(row, name) || (row.file.empty() && is_of_torch(name))) return;
    if (found && *found->type != *row.type)
      fail<ValueError>("make: ambiguous class name '{}': {} and {}", row.name, full_name(*found),
                       full_name(row));
    found = &row;
  });
  if (!found) fail<AttributeError>("make: unknown module class '{}'{}", name, hint(name));
  return *found;
}

const ClassRow* row_of_type(const std::type_info& type) {
  const ClassRow* found = nullptr;
  each_row([&](const ClassRow& row) {
    if (*row.type == type) found = &row;
  });
  return found;
}

const ClassRow* row_for(const Module& module) {
  const ClassRow *own = nullptr, *called = nullptr;
  each_row([&](const ClassRow& row) {
    if (*row.type == typeid(module)) own = &row;
    // A lazy layer whose type has changed after its first call.
    if (!row.file.empty() && row.name == module.type_name()) called = &row;
  });
  return own && called && !own->file.empty() ? called : own;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  each_row([&](const ClassRow& row) { names.emplace_back(row.name); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace detail {

Registration::Registration(const ClassRow& row) : row_(row) {
  Registered& users = registered();
  const std::lock_guard lock(users.mutex);
  users.rows.push_back(&row);
}
Registration::~Registration() {
  Registered& users = registered();
  const std::lock_guard lock(users.mutex);
  std::erase(users.rows, &row_);
}

}  // namespace detail
}  // namespace taper::nn
