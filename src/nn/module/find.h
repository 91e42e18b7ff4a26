// Looking one registered name up.
#pragma once
#include "nn/module/extra.h"

namespace taper::nn {

/// What a module has under a name: nothing, or one of the slots.
struct Find final : Walker {
  enum class Kind : std::uint8_t { nothing, parameter, buffer, child };

  Find(Module& module, std::string_view wanted) : name(wanted) { module.walk(*this); }

  std::string_view name;
  Kind kind = Kind::nothing;
  ParameterSlot parameter_slot{};
  BufferSlot buffer_slot{};
  ChildSlot child_slot{};

  void parameter(const ParameterSlot& s) override {
    if (s.name == name) kind = Kind::parameter, parameter_slot = s;
  }
  void buffer(const BufferSlot& s) override {
    if (s.name == name) kind = Kind::buffer, buffer_slot = s;
  }
  void child(const ChildSlot& s) override {
    if (s.name == name) kind = Kind::child, child_slot = s;
  }
};

}  // namespace taper::nn
