// Base classes and argument types of the module containers.
#pragma once
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/index.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {
struct DynamicEntry;

namespace detail {

template <class M> inline constexpr bool kSharedModule = std::same_as<M, std::nullptr_t>;
template <class M>
requires std::derived_from<M, Module>
inline constexpr bool kSharedModule<std::shared_ptr<M>> = true;

/// Argument type of a container: a module to move in, a shared pointer to a module, or nullptr for
/// None.
template <class T>
concept ModuleArgument =
    std::derived_from<std::remove_cvref_t<T>, Module> || kSharedModule<std::remove_cvref_t<T>>;

/// Returns a container argument as a shared pointer: moves a module, shares a shared pointer.
template <class T> std::shared_ptr<Module> shared_module(T&& m) {
  using M = std::remove_cvref_t<T>;
  if constexpr (kSharedModule<M>) {
    return std::forward<T>(m);
  } else if constexpr (ModuleArgument<T> && !std::is_lvalue_reference_v<T>) {
    return std::make_shared<M>(std::move(m));
  } else {
    static_assert(
        ModuleArgument<T>,
        "argument is not a module: pass std::move(layer), layer.clone(), a std::shared_ptr "
        "to a module, or nullptr for None");
    static_assert(
        !std::is_lvalue_reference_v<T> || !ModuleArgument<T>,
        "modules are not copied into a container: pass std::move(layer), layer.clone(), or share "
        "the module with std::make_shared");
    return nullptr;
  }
}

/// Element of the braced list that a container is constructed from.
struct ModuleElement {
  template <ModuleArgument M> ModuleElement(M&& m) : module(shared_module(std::forward<M>(m))) {}
  std::shared_ptr<Module> module;
};

/// Rejects several new modules in parentheses with a static assertion.
template <class... M> constexpr void check_order_of_arguments() {
  constexpr int kNew =
      ((std::derived_from<std::remove_cvref_t<M>, Module> && !std::is_lvalue_reference_v<M>)+... +
       0);
  static_assert(
      kNew < 2,
      "use braces, nn::Sequential{nn::Linear(2, 3), nn::ReLU()}: C++ does not specify the "
      "evaluation order of arguments in parentheses, so the initial weights for a seed "
      "could differ from those of PyTorch");
}

}  // namespace detail

/// Optional module of an options struct: `{.norm = nn::LayerNorm(64)}` moves the module in; a
/// shared pointer shares it, and `{}` or nullptr is absent.
class OptionalModule {
 public:
  OptionalModule() noexcept = default;
  template <detail::ModuleArgument M> OptionalModule(M&& m)
      : module_(detail::shared_module(std::forward<M>(m))) {}
  operator const std::shared_ptr<Module>&() const noexcept { return module_; }
  explicit operator bool() const noexcept { return static_cast<bool>(module_); }

 private:
  std::shared_ptr<Module> module_;
};

/// Module with its name, as in `Sequential({{"conv", nn::Conv2d(1, 20, 5)}, {"relu",
/// nn::ReLU()}})`.
struct NamedChild {
  template <class M> NamedChild(std::string child_name, M&& m)
      : name(std::move(child_name)), module(detail::shared_module(std::forward<M>(m))) {}
  std::string name;
  std::shared_ptr<Module> module;
};

/// Base of containers with indexed children: Sequential and ModuleList.
class IndexedContainer : public Module {
 public:
  IndexedContainer() noexcept = default;
  IndexedContainer(IndexedContainer&&) noexcept = default;
  IndexedContainer& operator=(IndexedContainer&&) noexcept = default;

  /// Returns the number of children, including those that are None.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// Returns child i; a negative i counts from the end. Throws IndexError if i is out of range,
  /// TypeError if the child is None.
  Module& operator[](std::int64_t i) const;
  /// Returns the first child. Throws IndexError if the container is empty, TypeError if the child
  /// is None.
  Module& front() const { return (*this)[0]; }
  /// Returns the last child. Throws IndexError if the container is empty, TypeError if the child is
  /// None.
  Module& back() const { return (*this)[-1]; }
  /// Returns child i as a shared pointer; null for None. Throws IndexError if i is out of range.
  std::shared_ptr<Module> shared(std::int64_t i) const;

  /// Replaces child i and retains its name. Throws IndexError if i is out of range.
  /// PyTorch: `container[i] = module`.
  template <class M> void set(std::int64_t i, M&& module) {
    set_shared(i, detail::shared_module(std::forward<M>(module)));
  }
  /// Removes child i, or the children of a slice. The remaining children are renumbered from "0".
  /// Throws IndexError if i is out of range. PyTorch: `del container[i]`.
  void erase(std::int64_t i);
  void erase(const Slice& slice);
  /// Removes child i and returns it. Throws IndexError if i is out of range.
  std::shared_ptr<Module> pop(std::int64_t i);

  struct Iterator {
    const std::unique_ptr<DynamicEntry>*at, *end;
    Module& operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator& o) const { return at == o.at; }
  };
  /// Iterates over the children: `for (nn::Module& layer : layers)`. Dereferencing an iterator
  /// throws TypeError if the child is None.
  Iterator begin() const;
  Iterator end() const;

 protected:
  explicit IndexedContainer(IndexedContainer&) = default;
  void set_shared(std::int64_t i, std::shared_ptr<Module> module);
  void append_shared(std::shared_ptr<Module> module);
  /// Inserts a module at i and renames each child from i on to the next number. Throws KeyError,
  /// and leaves the container unchanged, if a child has a name that is not a number.
  void insert_shared(std::int64_t i, std::shared_ptr<Module> module);
  std::vector<NamedChild> children_in(const Slice& slice) const;
  std::vector<NamedChild> all_children() const { return children_in({}); }
  template <class R> void append_all(R&& range) {
    if constexpr (std::derived_from<std::remove_cvref_t<R>, IndexedContainer>) {
      for (const NamedChild& c : static_cast<const IndexedContainer&>(range).all_children())
        append_shared(c.module);
    } else {
      for (auto& m : range)
        if constexpr (std::is_lvalue_reference_v<R>)
          append_shared(detail::shared_module(m));
        else
          append_shared(detail::shared_module(std::move(m)));
    }
  }
};

namespace detail {
/// Range or container of modules.
template <class R>
concept ModuleRange = std::derived_from<std::remove_cvref_t<R>, IndexedContainer> ||
    (requires(R& r) {
      std::begin(r);
      std::end(r);
    } &&
     !std::derived_from<std::remove_cvref_t<R>, Module>);
}  // namespace detail

}  // namespace nn
}  // namespace taper
