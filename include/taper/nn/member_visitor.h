// Visitor of the parameters, buffers and children of a module.
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

/// Registered parameter or buffer: its name and storage. `value` is null if the entry is None.
template <class T> struct TensorSlot {
  std::string_view name;
  T* value;
  void* holder;
  void (*put_into)(void* holder, const T& value);
  bool persistent = true;  ///< for buffers; also valid if the buffer is None
  /// Replaces the tensor; an undefined tensor sets the entry to None.
  void put(const T& v) const { put_into(holder, v); }
};
using ParameterSlot = TensorSlot<Parameter>;
using BufferSlot = TensorSlot<Buffer>;

/// Registered child: its name and storage. `module` is null if the entry is None.
struct ChildSlot {
  struct Holder {
    bool shared;  ///< held by a shared pointer
    std::shared_ptr<Module> (*get)(void* holder);
    /// Replaces the child. Returns false if the member cannot hold a module of that class, or None.
    bool (*put)(void* holder, const std::shared_ptr<Module>& module);
  };
  std::string_view name;
  Module* module;
  void* slot;
  const Holder* holder;
};

/// Visitor of the registered entries of a module, in order: listed members, then dynamic entries.
class MemberVisitor {
 public:
  /// Called for each registered parameter.
  virtual void parameter(const ParameterSlot&) {}
  /// Called for each registered buffer.
  virtual void buffer(const BufferSlot&) {}
  /// Called for each registered child.
  virtual void child(const ChildSlot&) {}

 protected:
  ~MemberVisitor() = default;
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
  T* tensor = nullptr;
  if constexpr (!kIsOptional<Held>)
    tensor = &held;
  else if (held)
    tensor = &*held;
  bool persistent = true;
  if constexpr (std::is_same_v<T, Buffer>) persistent = !tensor || tensor->persistent;
  return {name, tensor && tensor->defined() ? tensor : nullptr, &held, put_tensor<T, Held>,
          persistent};
}

// A template, so that the cast is instantiated where Module is complete.
template <class M> M* same_class(Module* module);

template <class M> struct InPlace {
  static bool put(void* slot, const std::shared_ptr<Module>& module) {
    M* typed_module = same_class<M>(module.get());
    if constexpr (std::is_move_assignable_v<M>) {
      if (typed_module) *static_cast<M*>(slot) = std::move(*typed_module);
      return typed_module != nullptr;
    } else {
      return false;
    }
  }
  static std::shared_ptr<Module> get(void*) { return nullptr; }
  static constexpr ChildSlot::Holder kHolder{false, get, put};
};
template <class M> struct InOptional {
  static bool put(void* slot, const std::shared_ptr<Module>& module) {
    auto& held = *static_cast<std::optional<M>*>(slot);
    if (!module) held.reset();
    M* typed_module = same_class<M>(module.get());
    if (typed_module) held.emplace(std::move(*typed_module));
    return typed_module || !module;
  }
  static constexpr ChildSlot::Holder kHolder{false, InPlace<M>::get, put};
};
template <class M> struct InShared {
  static std::shared_ptr<Module> get(void* slot) { return *static_cast<std::shared_ptr<M>*>(slot); }
  static bool put(void* slot, const std::shared_ptr<Module>& module) {
    auto& held = *static_cast<std::shared_ptr<M>*>(slot);
    held = std::dynamic_pointer_cast<M>(module);
    return held || !module;
  }
  static constexpr ChildSlot::Holder kHolder{true, get, put};
};

template <class T> void visit(MemberVisitor& w, std::string_view name, T& member) {
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

/// Names of the arguments of a macro, without one trailing underscore.
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
void visit_all(MemberVisitor& w, [[maybe_unused]] const std::string_view* names, T&... members) {
  (visit(w, *names++, members), ...);
}

// True unless a base class of D lists members, which makes the call ambiguous.
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
