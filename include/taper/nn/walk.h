// Walking over the members of a module, which are its registry.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "taper/core/api.h"
#include "taper/nn/parameter.h"

namespace TAPER_API taper {
namespace nn {
class Module;

/// A registered name and where its parameter or buffer is held. `value` is null while it is None.
template <class T> struct TensorSlot {
  std::string_view name;
  T* value;
  void* holder;
  void (*put_into)(void* holder, const T& value);
  bool persistent = true;  ///< of a buffer: is it saved? Known for one that is None, too
  /// Replaces it; an undefined tensor sets None.
  void put(const T& v) const { put_into(holder, v); }
};
using ParameterSlot = TensorSlot<Parameter>;
using BufferSlot = TensorSlot<Buffer>;

/// A registered name and where its child is held. `module` is null while it is None.
struct ChildSlot {
  struct Holder {
    bool shared;  ///< held by a shared pointer, so several places may hold it
    std::shared_ptr<Module> (*get)(void* holder);
    /// Replaces the child. False if the place cannot hold a module of that class, or None.
    bool (*put)(void* holder, const std::shared_ptr<Module>& module);
  };
  std::string_view name;
  Module* module;
  void* place;
  const Holder* holder;
};

/// Receives what a module has registered, in order: listed members, then what was added by name.
class Walker {
 public:
  virtual void parameter(const ParameterSlot&) {}
  virtual void buffer(const BufferSlot&) {}
  virtual void child(const ChildSlot&) {}

 protected:
  ~Walker() = default;
};

namespace detail {

template <class T> inline constexpr bool kIsOptional = false;
template <class T> inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T> inline constexpr bool kIsShared = false;
template <class T> inline constexpr bool kIsShared<std::shared_ptr<T>> = true;
template <class T> inline constexpr bool kNever = false;

template <class T, class Held> void put_tensor(void* holder, const T& v) {
  Held& held = *static_cast<Held*>(holder);
  if constexpr (kIsOptional<Held>) {
    if (v.defined())
      held.emplace(v);
    else
      held.reset();
  } else {
    held = v;
  }
}
template <class T, class Held> TensorSlot<T> tensor_slot(std::string_view name, Held& held) {
  T* there = nullptr;
  if constexpr (!kIsOptional<Held>)
    there = &held;
  else if (held)
    there = &*held;
  bool persistent = true;
  if constexpr (std::is_same_v<T, Buffer>) persistent = !there || there->persistent;
  return {name, there && there->defined() ? there : nullptr, &held, put_tensor<T, Held>,
          persistent};
}

// A template, so that the cast is looked up where Module is complete.
template <class M> M* same_class(Module* module);

template <class M> struct InPlace {
  static bool put(void* place, const std::shared_ptr<Module>& module) {
    M* same = same_class<M>(module.get());
    if constexpr (std::is_move_assignable_v<M>) {
      if (same) *static_cast<M*>(place) = std::move(*same);
      return same != nullptr;
    } else {
      return false;
    }
  }
  static std::shared_ptr<Module> get(void*) { return nullptr; }
  static constexpr ChildSlot::Holder kHolder{false, get, put};
};
template <class M> struct InOptional {
  static bool put(void* place, const std::shared_ptr<Module>& module) {
    auto& held = *static_cast<std::optional<M>*>(place);
    if (!module) held.reset();
    M* same = same_class<M>(module.get());
    if (same) held.emplace(std::move(*same));
    return same || !module;
  }
  static constexpr ChildSlot::Holder kHolder{false, InPlace<M>::get, put};
};
template <class M> struct InShared {
  static std::shared_ptr<Module> get(void* place) {
    return *static_cast<std::shared_ptr<M>*>(place);
  }
  static bool put(void* place, const std::shared_ptr<Module>& module) {
    auto& held = *static_cast<std::shared_ptr<M>*>(place);
    held = std::dynamic_pointer_cast<M>(module);
    return held || !module;
  }
  static constexpr ChildSlot::Holder kHolder{true, get, put};
};

template <class T> void visit(Walker& w, std::string_view name, T& member) {
  if constexpr (std::is_base_of_v<Parameter, T>) {
    w.parameter(tensor_slot<Parameter>(name, member));
  } else if constexpr (std::is_base_of_v<Buffer, T>) {
    w.buffer(tensor_slot<Buffer>(name, member));
  } else if constexpr (std::is_base_of_v<Module, T>) {
    w.child({name, &member, &member, &InPlace<T>::kHolder});
  } else if constexpr (kIsOptional<T>) {
    using U = typename T::value_type;
    if constexpr (std::is_base_of_v<Parameter, U>)
      w.parameter(tensor_slot<Parameter>(name, member));
    else if constexpr (std::is_base_of_v<Buffer, U>)
      w.buffer(tensor_slot<Buffer>(name, member));
    else if constexpr (std::is_base_of_v<Module, U>)
      w.child({name, member ? &*member : nullptr, static_cast<std::optional<U>*>(&member),
               &InOptional<U>::kHolder});
    else
      static_assert(kNever<T>,
                    "TAPER_MODULE lists a std::optional that holds no parameter, buffer or module");
  } else if constexpr (kIsShared<T>) {
    using U = typename T::element_type;
    if constexpr (std::is_base_of_v<Module, U>)
      w.child({name, member.get(), &member, &InShared<U>::kHolder});
    else
      static_assert(kNever<T>, "TAPER_MODULE lists a std::shared_ptr that holds no module");
  } else {
    static_assert(kNever<T>,
                  "TAPER_MODULE lists a member that is not a Parameter, Buffer or module: leave "
                  "plain members out, put several modules into nn::ModuleList, nn::ModuleDict or "
                  "nn::Sequential");
  }
}

constexpr std::size_t count_names(std::string_view list) {
  std::size_t n = list.empty() ? 0 : 1;
  for (char c : list) n += c == ',';
  return n;
}

/// The names of a macro's arguments; one trailing underscore is not part of a name.
template <std::size_t N> struct Names {
  std::string_view at[N ? N : 1]{};
  constexpr explicit Names(std::string_view list) {
    for (std::size_t i = 0; i < N; ++i) {
      std::size_t end = list.find(',');
      std::string_view name = list.substr(0, end);
      list.remove_prefix(end < list.size() ? end + 1 : list.size());
      while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
      while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
      if (name.size() > 1 && name.back() == '_') name.remove_suffix(1);
      at[i] = name;
    }
  }
};

template <class... T>
void visit_all(Walker& w, [[maybe_unused]] const std::string_view* names, T&... members) {
  (visit(w, *names++, members), ...);
}

// Does a base of D list members already? Ambiguous (false) exactly if one does.
template <class D> struct BaseOf {
  template <class B>
  requires(std::is_base_of_v<B, D> && !std::is_same_v<B, D>) operator B*() const;
};
template <class D>
concept NoListedBase = requires {
  taper_listed(BaseOf<D>{});
};

}  // namespace detail
}  // namespace nn
}  // namespace taper
