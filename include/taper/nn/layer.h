// TAPER_LAYER: modules declared in a header and defined in a source file.
#pragma once
#include "taper/nn/module.h"

// The two halves of TAPER_MODULE, for modules declared in a header: `TAPER_LAYER(Name)` in the
// class declares the functions, and `TAPER_LAYER_MEMBERS(Name, members...)` in one source file
// defines them, so that they are compiled once.
#define TAPER_LAYER(Name)                                                  \
  TAPER_DETAIL_PUBLIC                                                      \
  template <class = void> Name() {}                                        \
  TAPER_DETAIL_CLONED(Name) explicit Name(Name&);                          \
  TAPER_DETAIL_QUIET_END                                                   \
  TAPER_DETAIL_NOT_COPIED(Name)                                            \
  Name(Name&&) noexcept;                                                   \
  Name& operator=(Name&&) noexcept;                                        \
  ~Name() override;                                                        \
  [[maybe_unused]] friend void taper_listed(Name*) {}                      \
  const ::taper::nn::ClassInfo& class_info() const override;               \
  std::shared_ptr<::taper::nn::Module> clone_shallow() const override;     \
  Name clone() const;                                                      \
  TAPER_DETAIL_CHAINS(Name)                                                \
  template <class... A> decltype(auto) operator()(A&&... a) {              \
    return ::taper::nn::detail::call_typed(*this, static_cast<A&&>(a)...); \
  }                                                                        \
  template <class... A> decltype(auto) operator()(A&&... a) const {        \
    return ::taper::nn::detail::call_typed(*this, static_cast<A&&>(a)...); \
  }                                                                        \
  ::taper::Tensor call_tensor(const ::taper::Tensor& x) override;          \
  ::taper::Value forward_values(::taper::Values& args) override;           \
  TAPER_DETAIL_MODULE_HOOKS(Name)                                          \
  void visit_members(::taper::nn::MemberVisitor& visitor) override;

#define TAPER_DETAIL_LAYER_CLASS(Name) TAPER_DETAIL_LAYER_CLASS_AS(Name, #Name)
#define TAPER_DETAIL_LAYER_CLASS_AS(Name, text)                                 \
  TAPER_DETAIL_QUIET_BEGIN                                                      \
  Name::Name(Name&) = default;                                                  \
  TAPER_DETAIL_QUIET_END                                                        \
  Name::Name(Name&&) noexcept = default;                                        \
  Name& Name::operator=(Name&&) noexcept = default;                             \
  Name::~Name() = default;                                                      \
  const ::taper::nn::ClassInfo& Name::class_info() const {                      \
    return ::taper::nn::detail::class_info_of<Name>(text);                      \
  }                                                                             \
  std::shared_ptr<::taper::nn::Module> Name::clone_shallow() const {            \
    return ::taper::nn::detail::shallow_clone(*this);                           \
  }                                                                             \
  Name Name::clone() const { return ::taper::nn::detail::clone_module(*this); } \
  void Name::visit_members([[maybe_unused]] ::taper::nn::MemberVisitor& visitor)

// TAPER_LAYER_MEMBERS_AS is for a class whose name in messages and printed forms differs from its
// C++ name.
#define TAPER_LAYER_MEMBERS(Name, ...) TAPER_LAYER_MEMBERS_AS(Name, #Name, __VA_ARGS__)
#define TAPER_LAYER_MEMBERS_AS(Name, text, ...) \
  TAPER_DETAIL_LAYER_CALLS(Name)                \
  TAPER_DETAIL_LAYER_CLASS_AS(Name, text) { TAPER_DETAIL_VISIT(__VA_ARGS__) }

// The calls of a layer by tensor and by values, by way of its forward.
#define TAPER_DETAIL_LAYER_CALLS(Name)                          \
  ::taper::Tensor Name::call_tensor(const ::taper::Tensor& x) { \
    return ::taper::nn::detail::call_with_tensor(*this, x);     \
  }                                                             \
  ::taper::Value Name::forward_values(::taper::Values& args) {  \
    return ::taper::nn::detail::forward_erased(*this, args);    \
  }
