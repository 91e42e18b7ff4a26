// Modules in a row: what Sequential and ModuleList have in common.
#pragma once
#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "taper/nn/layer.h"

namespace taper::nn {

namespace detail {

template <class M> inline constexpr bool kSharedModule = false;
template <class M>
requires std::derived_from<M, Module>
inline constexpr bool kSharedModule<std::shared_ptr<M>> = true;

/// What a container takes: a module to keep, or a shared one.
template <class T>
concept ModuleArgument =
    std::derived_from<std::remove_cvref_t<T>, Module> || kSharedModule<std::remove_cvref_t<T>>;

template <ModuleArgument T> std::shared_ptr<Module> shared_module(T&& m) {
  using M = std::remove_cvref_t<T>;
  if constexpr (kSharedModule<M>) {
    return std::forward<T>(m);
  } else {
    static_assert(
        !std::is_lvalue_reference_v<T>,
        "a container keeps its modules: pass std::move(layer), layer.clone(), or share it "
        "with std::make_shared");
    if constexpr (std::is_lvalue_reference_v<T>)
      return nullptr;
    else
      return std::make_shared<M>(std::move(m));
  }
}

}  // namespace detail

/// A module with its name, for `Sequential({{"conv", nn::Conv2d(1, 20, 5)}, {"relu",
/// nn::ReLU()}})`.
struct NamedChild {
  template <detail::ModuleArgument M> NamedChild(std::string child_name, M&& m)
      : name(std::move(child_name)), module(detail::shared_module(std::forward<M>(m))) {}
  std::string name;
  std::shared_ptr<Module> module;
};

/// Base of containers whose children stand in a row.
class ModuleRow : public Module {
 public:
  ModuleRow() noexcept = default;
  explicit ModuleRow(const ModuleRow&) = default;
  ModuleRow(ModuleRow&&) noexcept = default;
  ModuleRow& operator=(ModuleRow&&) noexcept = default;

  /// Number of children, None included.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// Child i; a negative i counts from the back. Throws IndexError, and TypeError for None.
  Module& operator[](std::int64_t i);
  const Module& operator[](std::int64_t i) const { return const_cast<ModuleRow&>(*this)[i]; }
  Module& front() { return (*this)[0]; }
  Module& back() { return (*this)[-1]; }
  /// Child i for sharing it with others.
  std::shared_ptr<Module> shared(std::int64_t i) const;

  struct Iterator {
    ModuleRow* row;
    std::int64_t at;
    Module& operator*() const { return (*row)[at]; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  /// `for (nn::Module& layer : layers)`.
  Iterator begin() { return {this, 0}; }
  Iterator end() { return {this, static_cast<std::int64_t>(size())}; }

 protected:
  void append_shared(std::shared_ptr<Module> module);
};

}  // namespace taper::nn
