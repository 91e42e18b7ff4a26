// Attribute: the entry of a module that a name refers to.
#pragma once
#include <string_view>

#include "taper/core/api.h"
#include "taper/nn/convert.h"
#include "taper/nn/parameter.h"

namespace TAPER_API taper {
namespace nn {
class Module;

/// Result of looking up a name in a module, as Python's `m.name`. The member that corresponds to
/// `kind` refers to the entry; it is null if the entry exists but is None.
struct Attribute {
  enum class Kind : std::uint8_t { plain, parameter, buffer, child } kind;
  std::string_view name;
  Value plain{};
  Parameter* parameter = nullptr;
  Buffer* buffer = nullptr;
  Module* module = nullptr;

  /// Returns the entry as a Value, which is None if the entry is None.
  Value value() const;
};

namespace detail {

/// Throws TypeError with the kind of the entry and the requested kind.
[[noreturn]] void throw_attribute_kind(const Attribute& found, const char* wanted);

/// Returns the entry as T: a reference to a Parameter, a Buffer or a module, otherwise a converted
/// copy. Throws TypeError if the entry is None or of another kind.
template <class T> decltype(auto) attribute_as(const Attribute& found) {
  if constexpr (std::is_same_v<T, Parameter>) {
    if (!found.parameter) throw_attribute_kind(found, "a Parameter");
    return (*found.parameter);
  } else if constexpr (std::is_same_v<T, Buffer>) {
    if (!found.buffer) throw_attribute_kind(found, "a Buffer");
    return (*found.buffer);
  } else if constexpr (std::is_base_of_v<Module, T>) {
    T* module = dynamic_cast<T*>(found.module);
    if (!module) throw_attribute_kind(found, "a module of that class");
    return (*module);
  } else {
    static_assert(Convertible<T>,
                  "attr<T>(name) returns a Parameter, a Buffer, a module class, or a type that a "
                  "Value holds");
    if constexpr (Convertible<T>) return T(Convert<T>::from(found.value()));
  }
}

}  // namespace detail
}  // namespace nn
}  // namespace taper
