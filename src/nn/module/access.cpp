// Modules, parameters and buffers by path.
#include "nn/module/find.h"
#include "taper/core/error.h"

namespace taper::nn {
namespace {

[[noreturn]] void throw_missing(const Module& m, std::string_view name) {
  throw AttributeError(std::string(m.type_name()) + " has no attribute `" + std::string(name) +
                       "`");
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

}  // namespace

Module& Module::get_submodule(std::string_view path) {
  Module* at = this;
  bool more = !path.empty();
  while (more) {
    const std::size_t dot = path.find('.');
    more = dot != std::string_view::npos;
    const std::string_view step = path.substr(0, dot);
    const Find found(*at, step);
    if (found.kind == Find::Kind::nothing) throw_missing(*at, step);
    if (found.kind != Find::Kind::child || !found.child_slot.module)
      throw AttributeError("`" + std::string(step) + "` is not an nn.Module");
    at = found.child_slot.module;
    if (more) path.remove_prefix(dot + 1);
  }
  return *at;
}

Parameter& Module::get_parameter(std::string_view path) {
  const Place place = split(*this, path);
  const Find found(place.parent, place.name);
  if (found.kind == Find::Kind::nothing) throw_missing(place.parent, place.name);
  if (found.kind != Find::Kind::parameter || !found.parameter_slot.value)
    throw AttributeError("`" + std::string(place.name) + "` is not an nn.Parameter");
  return *found.parameter_slot.value;
}

Tensor Module::get_buffer(std::string_view path) {
  const Place place = split(*this, path);
  const Find found(place.parent, place.name);
  if (found.kind == Find::Kind::nothing) throw_missing(place.parent, place.name);
  if (found.kind != Find::Kind::buffer)
    throw AttributeError("`" + std::string(place.name) + "` is not a buffer");
  return found.buffer_slot.value ? *found.buffer_slot.value : Tensor();
}

}  // namespace taper::nn
