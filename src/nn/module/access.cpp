// Modules, parameters and buffers by path.
#include "core/check.h"
#include "nn/module/name_lookup.h"
#include "nn/module/suggest.h"

namespace taper::nn {
namespace {

/// Returns the paths of all entries of a kind below `root`, for suggestions in errors.
std::vector<std::string> names_of(Module& root, NameLookup::Kind kind) {
  std::vector<std::string> names;
  auto add = [&](std::string_view name, const auto&) { names.emplace_back(name); };
  if (kind == NameLookup::Kind::child) root.for_each_module(add);
  if (kind == NameLookup::Kind::parameter) root.for_each_parameter(add);
  if (kind == NameLookup::Kind::buffer) root.for_each_buffer(add);
  return names;
}

[[noreturn]] void throw_missing(Module& root, std::string_view path, Module& current,
                                std::string_view step, NameLookup::Kind wanted) {
  static constexpr std::string_view kKindNames[] = {"", "", "parameter", "buffer", "submodule", ""};
  const std::string hint = step.empty() ? ""
                                        : did_you_mean(kKindNames[static_cast<int>(wanted)], path,
                                                       names_of(root, wanted));
  fail<AttributeError>("{} has no attribute `{}`{}", current.type_name(), step, hint);
}

Module* as_module(const NameLookup& found) {
  if (found.kind == NameLookup::Kind::child) return found.child_slot.module;
  return found.plain ? module_of(*found.plain) : nullptr;
}

struct ResolvedPath {
  Module& parent;
  std::string_view name;
};
ResolvedPath resolve_parent(Module& root, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {root, path};
  return {root.get_submodule(path.substr(0, dot)), path.substr(dot + 1)};
}

NameLookup find_entry(Module& root, const ResolvedPath& resolved, std::string_view path,
                      NameLookup::Kind wanted) {
  NameLookup found(resolved.parent, resolved.name);
  if (found.kind == NameLookup::Kind::nothing)
    throw_missing(root, path, resolved.parent, resolved.name, wanted);
  return found;
}

}  // namespace

Module& Module::get_submodule(std::string_view path) {
  Module* current = this;
  std::string_view rest = path;
  bool more = !path.empty();
  while (more) {
    const std::size_t dot = rest.find('.');
    more = dot != std::string_view::npos;
    const std::string_view step = rest.substr(0, dot);
    const NameLookup found(*current, step);
    if (found.kind == NameLookup::Kind::nothing)
      throw_missing(*this, path, *current, step, NameLookup::Kind::child);
    current = as_module(found);
    if (!current) fail<AttributeError>("`{}` is not an nn.Module", step);
    if (more) rest.remove_prefix(dot + 1);
  }
  return *current;
}

void Module::set_submodule(std::string_view path, std::shared_ptr<Module> module, bool strict) {
  if (path.empty()) fail<ValueError>("Cannot set the submodule without a target name!");
  if (!module) fail<ValueError>("`module` is not an nn.Module, found <class 'NoneType'>");
  const ResolvedPath resolved = resolve_parent(*this, path);
  const NameLookup found(resolved.parent, resolved.name);
  if (found.kind == NameLookup::Kind::nothing && strict)
    throw_missing(*this, path, resolved.parent, resolved.name, NameLookup::Kind::child);
  if (found.kind != NameLookup::Kind::nothing && !as_module(found))
    fail<AttributeError>("`{}` is not an nn.Module", resolved.name);
  resolved.parent.set_attr(resolved.name, std::move(module));
}

Parameter& Module::get_parameter(std::string_view path) {
  const ResolvedPath resolved = resolve_parent(*this, path);
  const NameLookup found = find_entry(*this, resolved, path, NameLookup::Kind::parameter);
  if (found.kind != NameLookup::Kind::parameter || !found.parameter_slot.value)
    fail<AttributeError>("`{}` is not an nn.Parameter", resolved.name);
  return *found.parameter_slot.value;
}

Tensor Module::get_buffer(std::string_view path) const {
  Module& self = detail::mutable_of(*this);
  const ResolvedPath resolved = resolve_parent(self, path);
  const NameLookup found = find_entry(self, resolved, path, NameLookup::Kind::buffer);
  if (found.kind != NameLookup::Kind::buffer)
    fail<AttributeError>("`{}` is not a buffer", resolved.name);
  return found.buffer_slot.value ? *found.buffer_slot.value : Tensor();
}

}  // namespace taper::nn
