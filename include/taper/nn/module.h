// TAPER_MODULE and TAPER_DERIVED_MODULE: macros that define a module class.
//
//   struct Net : nn::Module {
//     nn::Linear fc1{784, 100}, fc2{100, 10};
//     TAPER_MODULE(Net, fc1, fc2)
//     Tensor forward(const Tensor& x) { return fc2(F::relu(fc1(x))); }
//   };
#pragma once
#include "taper/core/api.h"
#include "taper/nn/detail/call.h"
#include "taper/nn/detail/clone.h"
#include "taper/nn/module_base.h"
#include "taper/nn/optional.h"
#include "taper/nn/ref.h"

// Function of nn::Module that returns the module, with the class and value category of the object.
#define TAPER_DETAIL_CHAIN(Name, declaration, call)    \
  Name& declaration& {                                 \
    this->::taper::nn::Module::call;                   \
    return ::taper::nn::detail::as_class<Name>(*this); \
  }                                                    \
  Name&& declaration&& {                               \
    this->::taper::nn::Module::call;                   \
    return static_cast<Name&&>(*this);                 \
  }

#define TAPER_DETAIL_CHAINS(Name)                                                                 \
  TAPER_DETAIL_CHAIN(Name, train(bool mode = true), train(mode))                                  \
  TAPER_DETAIL_CHAIN(Name, eval(), eval())                                                        \
  TAPER_DETAIL_CHAIN(Name, requires_grad_(bool value = true), requires_grad_(value))              \
  TAPER_DETAIL_CHAIN(Name, to(const ::taper::nn::Conversion& conversion), to(conversion))         \
  TAPER_DETAIL_CHAIN(                                                                             \
      Name, to(const ::taper::nn::Conversion& conversion, const ::taper::nn::ToOptions& options), \
      to(conversion, options))                                                                    \
  TAPER_DETAIL_CHAIN(Name,                                                                        \
                     to(::taper::Device device, ::taper::DType dtype,                             \
                        const ::taper::nn::ToOptions& options = {}),                              \
                     to(device, dtype, options))                                                  \
  TAPER_DETAIL_CHAIN(Name, to_float(), to_float())                                                \
  TAPER_DETAIL_CHAIN(Name, to_double(), to_double())                                              \
  TAPER_DETAIL_CHAIN(Name, to_half(), to_half())                                                  \
  TAPER_DETAIL_CHAIN(Name, to_bfloat16(), to_bfloat16())                                          \
  TAPER_DETAIL_CHAIN(Name, type(::taper::DType dtype), type(dtype))                               \
  TAPER_DETAIL_CHAIN(Name, cpu(), cpu())                                                          \
  TAPER_DETAIL_CHAIN(Name, cuda(int index = 0), cuda(index))                                      \
  TAPER_DETAIL_CHAIN(Name, to_empty(::taper::Device device, bool recurse = true),                 \
                     to_empty(device, recurse))                                                   \
  TAPER_DETAIL_CHAIN(Name, share_memory(), share_memory())                                        \
  TAPER_DETAIL_CHAIN(Name, apply(const ::taper::SharedFunction<void(::taper::nn::Module&)>& fn),  \
                     apply(fn))

// In these macros, template parameters have names that a module class does not have: a class may be
// named A or M.

// Members that depend on the class, but not on its data members. The default constructor is a
// template because the copy constructors would suppress the implicit one; any non-template
// constructor of the class is preferred.
#define TAPER_DETAIL_MODULE_CLASS(Name) \
  TAPER_DETAIL_CLONED(Name)             \
  explicit Name(Name&) = default;       \
  TAPER_DETAIL_QUIET_END                \
  TAPER_DETAIL_MODULE_CLASS_CLONED(Name)
#define TAPER_DETAIL_MODULE_CLASS_CLONED(Name)                                   \
  template <class = void> Name() {}                                              \
  TAPER_DETAIL_NOT_COPIED(Name)                                                  \
  TAPER_DETAIL_QUIET_BEGIN Name(Name&&) noexcept = default;                      \
  Name& operator=(Name&&) = default;                                             \
  TAPER_DETAIL_QUIET_END                                                         \
  [[maybe_unused]] friend void taper_listed(Name*) {}                            \
  const ::taper::nn::ClassInfo& class_info() const override {                    \
    return ::taper::nn::detail::class_info_of<Name>(#Name);                      \
  }                                                                              \
  std::shared_ptr<::taper::nn::Module> clone_shallow() const override {          \
    return ::taper::nn::detail::shallow_clone(*this);                            \
  }                                                                              \
  template <class TaperM = Name> TaperM clone() const {                          \
    return ::taper::nn::detail::clone_module(static_cast<const TaperM&>(*this)); \
  }                                                                              \
  TAPER_DETAIL_CHAINS(Name)

// Registration of hooks with the types of the forward of the class.
#define TAPER_DETAIL_MODULE_HOOKS(Name)                                                           \
  template <class TaperF>                                                                         \
  auto register_forward_pre_hook(TaperF hook, const ::taper::nn::PrependOption& options = {}) {   \
    return this->add_pre_hook(::taper::nn::detail::make_pre_hook<Name, TaperF>(std::move(hook)),  \
                              options);                                                           \
  }                                                                                               \
  template <class TaperF>                                                                         \
  auto register_forward_hook(TaperF hook, const ::taper::nn::HookOptions& options = {}) {         \
    return this->add_hook(::taper::nn::detail::make_forward_hook<Name, TaperF>(std::move(hook)),  \
                          options);                                                               \
  }                                                                                               \
  template <class TaperF> auto register_full_backward_pre_hook(                                   \
      TaperF hook, const ::taper::nn::PrependOption& options = {}) {                              \
    return this->add_backward_pre_hook(                                                           \
        ::taper::nn::detail::make_backward_pre_hook<Name, TaperF>(std::move(hook)), options);     \
  }                                                                                               \
  template <class TaperF>                                                                         \
  auto register_full_backward_hook(TaperF hook, const ::taper::nn::PrependOption& options = {}) { \
    return this->add_backward_hook(                                                               \
        ::taper::nn::detail::make_backward_hook<Name, TaperF>(std::move(hook)), options);         \
  }

// Calls of a forward that is overloaded, a template, or has many parameters, and calls that do not
// compile. These operators deduce the types of the arguments, which braces do not have.
#define TAPER_DETAIL_DEDUCED_CALLS(Name)                                                     \
  template <class... TaperA>                                                                 \
  requires(!::taper::nn::detail::CallableTyped<Name, TaperA...>) decltype(auto) operator()(  \
      TaperA&&... a) {                                                                       \
    return ::taper::nn::detail::call_typed(::taper::nn::detail::as_class<Name>(*this),       \
                                           static_cast<TaperA&&>(a)...);                     \
  }                                                                                          \
  template <class... TaperA>                                                                 \
  requires(!::taper::nn::detail::CallableTyped<Name, TaperA...>) decltype(auto) operator()(  \
      TaperA&&... a) const {                                                                 \
    return ::taper::nn::detail::call_typed(::taper::nn::detail::as_class<const Name>(*this), \
                                           static_cast<TaperA&&>(a)...);                     \
  }

// Call with the parameter types of the forward of the class, so that arguments may be written in
// braces. The types are found when the operator is used, because forward is declared later.
#define TAPER_DETAIL_TYPED_CALL(Name, constness, count, parameters, ...)                        \
  template <class TaperM = constness Name,                                                      \
            class TaperP = ::taper::nn::detail::CallParameters<TaperM, count>>                  \
  decltype(auto) operator() parameters constness {                                              \
    return ::taper::nn::detail::call_typed(::taper::nn::detail::as_class<constness Name>(*this) \
                                               __VA_OPT__(, ) __VA_ARGS__);                     \
  }
#define TAPER_DETAIL_P(i) typename TaperP::template At<i> a##i
#define TAPER_DETAIL_A(i) static_cast<typename TaperP::template At<i>&&>(a##i)
#define TAPER_DETAIL_TYPED_CALLS_4(Name, constness)                                   \
  TAPER_DETAIL_TYPED_CALL(Name, constness, 1, (TAPER_DETAIL_P(0)), TAPER_DETAIL_A(0)) \
  TAPER_DETAIL_TYPED_CALL(Name, constness, 2, (TAPER_DETAIL_P(0), TAPER_DETAIL_P(1)), \
                          TAPER_DETAIL_A(0), TAPER_DETAIL_A(1))                       \
  TAPER_DETAIL_TYPED_CALL(Name, constness, 3,                                         \
                          (TAPER_DETAIL_P(0), TAPER_DETAIL_P(1), TAPER_DETAIL_P(2)),  \
                          TAPER_DETAIL_A(0), TAPER_DETAIL_A(1), TAPER_DETAIL_A(2))    \
  TAPER_DETAIL_TYPED_CALL(                                                            \
      Name, constness, 4,                                                             \
      (TAPER_DETAIL_P(0), TAPER_DETAIL_P(1), TAPER_DETAIL_P(2), TAPER_DETAIL_P(3)),   \
      TAPER_DETAIL_A(0), TAPER_DETAIL_A(1), TAPER_DETAIL_A(2), TAPER_DETAIL_A(3))
#define TAPER_DETAIL_TYPED_CALLS_6(Name, constness)                                  \
  TAPER_DETAIL_TYPED_CALLS_4(Name, constness)                                        \
  TAPER_DETAIL_TYPED_CALL(Name, constness, 5,                                        \
                          (TAPER_DETAIL_P(0), TAPER_DETAIL_P(1), TAPER_DETAIL_P(2),  \
                           TAPER_DETAIL_P(3), TAPER_DETAIL_P(4)),                    \
                          TAPER_DETAIL_A(0), TAPER_DETAIL_A(1), TAPER_DETAIL_A(2),   \
                          TAPER_DETAIL_A(3), TAPER_DETAIL_A(4))                      \
  TAPER_DETAIL_TYPED_CALL(Name, constness, 6,                                        \
                          (TAPER_DETAIL_P(0), TAPER_DETAIL_P(1), TAPER_DETAIL_P(2),  \
                           TAPER_DETAIL_P(3), TAPER_DETAIL_P(4), TAPER_DETAIL_P(5)), \
                          TAPER_DETAIL_A(0), TAPER_DETAIL_A(1), TAPER_DETAIL_A(2),   \
                          TAPER_DETAIL_A(3), TAPER_DETAIL_A(4), TAPER_DETAIL_A(5))

// Members that depend on the forward of the class.
#define TAPER_DETAIL_MODULE_CALL(Name)                             \
  TAPER_DETAIL_DEDUCED_CALLS(Name)                                 \
  TAPER_DETAIL_TYPED_CALLS_6(Name, )                               \
  TAPER_DETAIL_TYPED_CALLS_6(Name, const)                          \
  ::taper::Tensor call_tensor(const ::taper::Tensor& x) override { \
    return ::taper::nn::detail::call_with_tensor(*this, x);        \
  }                                                                \
  ::taper::Value forward_values(::taper::Values& args) override {  \
    return ::taper::nn::detail::forward_erased(*this, args);       \
  }                                                                \
  TAPER_DETAIL_MODULE_HOOKS(Name)

#define TAPER_DETAIL_VISIT(...)                                                               \
  static constexpr ::taper::nn::detail::Names<::taper::nn::detail::count_names(#__VA_ARGS__)> \
      taper_names(#__VA_ARGS__);                                                              \
  ::taper::nn::detail::visit_all(visitor, taper_names.at __VA_OPT__(, ) __VA_ARGS__);

/// Defines a module class: `TAPER_MODULE(Name, members...)` inside a struct derived from
/// nn::Module. The listed members are registered in the order of the state dict: parameters,
/// buffers, modules, and std::optional, nn::Optional or std::shared_ptr of these. The macro must be
/// used where access is public, as at the beginning of a struct.
#define TAPER_MODULE(Name, ...)                                                        \
  TAPER_DETAIL_PUBLIC                                                                  \
  TAPER_DETAIL_MODULE_CLASS(Name)                                                      \
  TAPER_DETAIL_MODULE_CALL(Name)                                                       \
  void visit_members(::taper::nn::MemberVisitor& visitor) override {                   \
    static_assert(::taper::nn::detail::NoListedBase<Name>,                             \
                  "a base of " #Name " lists members: use TAPER_DERIVED_MODULE(" #Name \
                  ", Base, members...)");                                              \
    TAPER_DETAIL_VISIT(__VA_ARGS__)                                                    \
  }

/// Defines a module class derived from another module class:
/// `TAPER_DERIVED_MODULE(Name, Base, members...)`. The members of the base are registered first.
#define TAPER_DERIVED_MODULE(Name, Base, ...)                        \
  TAPER_DETAIL_PUBLIC                                                \
  TAPER_DETAIL_MODULE_CLASS(Name)                                    \
  TAPER_DETAIL_MODULE_CALL(Name)                                     \
  void visit_members(::taper::nn::MemberVisitor& visitor) override { \
    Base::visit_members(visitor);                                    \
    TAPER_DETAIL_VISIT(__VA_ARGS__)                                  \
  }

namespace TAPER_API taper {
namespace nn::detail {

template <class M> const ClassInfo& class_info_of(const char* name) {
  static_assert(
      requires { typename M::taper_access; },
      "the macro that defines this module class must be used where access is public: write "
      "public: before it");
  static const ClassInfo info{
      name,
      sizeof(M),
      &typeid(M),
      !std::is_same_v<decltype(&M::get_extra_state), Value (Module::*)()>,
      !std::is_same_v<decltype(&M::set_extra_state), void (Module::*)(const Value&)>,
      !std::is_same_v<decltype(&M::load_from_state_dict), void (Module::*)(LoadState&)>,
      has_const_forward<M>(),
      std::is_base_of_v<LazyTag, M>,
      forward_signature_of<M>()};
  return info;
}

}  // namespace nn::detail
}  // namespace taper
