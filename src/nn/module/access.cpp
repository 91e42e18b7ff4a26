// Modules, parameters and buffers by path.
#include "core/check.h"
#include "nn/module/find.h"
#include "nn/module/suggest.h"

namespace taper::nn {
namespace {

/// Returns all names below `root` of a kind, for suggestions in errors.
std::vector<std::string> names_of(Module& root, Find::Kind kind) {
  std::vector<std::string> names;
  auto add = [&](std::string_view name, const auto&) { names.emplace_back(name); };
  if (kind == Find::Kind::child) root.each_module(add);
  if (kind == Find::Kind::parameter) root.each_parameter(add);
  if (kind == Find::Kind::buffer) root.each_buffer(add);
  return names;
}

[[noreturn]] void throw_missing(Module& root, std::string_view path, Module& at,
                                std::string_view step, Find::Kind wanted) {
  static constexpr std::string_view kWords[] = {"", "", "parameter", "buffer", "submodule", ""};
  const std::string hint =
      step.empty() ? ""
                   : did_you_mean(kWords[static_cast<int>(wanted)], path, names_of(root, wanted));
  fail<AttributeError>("{} has no attribute `{}`{}", at.type_name(), step, hint);
}

Module* as_module(const Find& found) {
  if (found.kind == Find::Kind::child) return found.child_slot.module;
  return found.plain ? module_of(*found.plain) : nullptr;
}

struct Place {
  Module& parent;
  std::string_view name;
};
Place split(Module& root, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {root, path};
  return {root.get_submodule(path.substr(0, dot)), path.substr(dot + 1)};
}

Find find_at(Module& root, const Place& place, std::string_view path, Find::Kind wanted) {
  Find found(place.parent, place.name);
  if (found.kind == Find::Kind::nothing)
    throw_missing(root, path, place.parent, place.name, wanted);
  return found;
}

}  // namespace

Module& Module::get_submodule(std::string_view path) {
  Module* at = this;
  std::string_view rest = path;
  bool more = !path.empty();
  while (more) {
    const std::size_t dot = rest.find('.');
    more = dot != std::string_view::npos;
    const std::string_view step = rest.substr(0, dot);
    const Find found(*at, step);
    if (found.kind == Find::Kind::nothing) throw_missing(*this, path, *at, step, Find::Kind::child);
    at = as_module(found);
    if (!at) fail<AttributeError>("`{}` is not an nn.Module", step);
    if (more) rest.remove_prefix(dot + 1);
  }
  return *at;
}

void Module::set_submodule(std::string_view path, std::shared_ptr<Module> module, bool strict) {
  if (path.empty()) fail<ValueError>("Cannot set the submodule without a target name!");
  if (!module) fail<ValueError>("`module` is not an nn.Module, found <class 'NoneType'>");
  const Place place = split(*this, path);
  const Find found(place.parent, place.name);
  if (found.kind == Find::Kind::nothing && strict)
    throw_missing(*this, path, place.parent, place.name, Find::Kind::child);
  if (found.kind != Find::Kind::nothing && !as_module(found))
    fail<AttributeError>("`{}` is not an nn.Module", place.name);
  place.parent.set_attr(place.name, std::move(module));
}

Parameter& Module::get_parameter(std::string_view path) {
  const Place place = split(*this, path);
  const Find found = find_at(*this, place, path, Find::Kind::parameter);
  if (found.kind != Find::Kind::parameter || !found.parameter_slot.value)
    fail<AttributeError>("`{}` is not an nn.Parameter", place.name);
  return *found.parameter_slot.value;
}

Tensor Module::get_buffer(std::string_view path) const {
  Module& self = detail::mutable_of(*this);
  const Place place = split(self, path);
  const Find found = find_at(self, place, path, Find::Kind::buffer);
  if (found.kind != Find::Kind::buffer) fail<AttributeError>("`{}` is not a buffer", place.name);
  return found.buffer_slot.value ? *found.buffer_slot.value : Tensor();
}

}  // namespace taper::nn
