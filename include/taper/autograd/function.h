// Function: user-defined differentiable operations. PyTorch: torch.autograd.Function.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "taper/autograd/autograd.h"
#include "taper/core/api.h"

namespace TAPER_API taper {
namespace autograd {

/// Context that forward passes to backward. PyTorch: torch.autograd.function.FunctionCtx.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Saves inputs or outputs for backward, which throws RuntimeError if one of them was modified in
  /// place. PyTorch: torch.autograd.function.FunctionCtx.save_for_backward.
  void save_for_backward(std::vector<Tensor> tensors);
  /// Returns the saved tensors. PyTorch: torch.autograd.function.FunctionCtx.saved_tensors.
  std::vector<Tensor> saved_tensors() const;
  /// Returns a value of a user-defined type, constructed on first use: `ctx.state<double>() = k`.
  /// All calls must use the same type.
  template <class T> T& state() {
    if (!state_) state_ = std::make_shared<T>();
    return *static_cast<T*>(state_.get());
  }
  /// Declares that forward modified these inputs in place and returns them.
  /// PyTorch: torch.autograd.function.FunctionCtx.mark_dirty.
  void mark_dirty(std::vector<Tensor> tensors);
  /// Declares that these outputs are not differentiable.
  /// PyTorch: torch.autograd.function.FunctionCtx.mark_non_differentiable.
  void mark_non_differentiable(std::vector<Tensor> tensors);
  /// Specifies whether absent gradients are passed to backward as zeros (default) or as undefined
  /// tensors. PyTorch: torch.autograd.function.FunctionCtx.set_materialize_grads.
  void set_materialize_grads(bool value);
  /// Returns true if argument i of forward requires a gradient.
  /// PyTorch: torch.autograd.function.FunctionCtx.needs_input_grad.
  bool needs_input_grad(std::size_t i) const;

  struct SavedState;
  SavedState& saved_state() const { return *saved_state_; }
  /// State of autocast in the forward pass, stored by amp::custom_fwd for amp::custom_bwd.
  struct ForwardAutocast {
    bool enabled = false;
    DType dtype = DType::bf16;
  } forward_autocast;

 private:
  std::shared_ptr<SavedState> saved_state_;
  std::shared_ptr<void> state_;
};

namespace detail {

/// Name and backward function of a user-defined operation.
struct CustomOp {
  std::string name;  ///< name of the node: "ScaleBackward"
  bool once_differentiable;
  std::vector<Tensor> (*backward)(Context&, const std::vector<Tensor>&);
};
/// Runs `forward` in no-grad mode, records the operation as one node and returns the outputs.
/// `arguments` has one entry per argument of forward; null if it is not a tensor.
std::vector<Tensor> apply_custom(CustomOp op, std::shared_ptr<Context> context,
                                 std::vector<const Tensor*> arguments,
                                 const taper::SharedFunction<std::vector<Tensor>()>& forward);
/// Returns the name of the template argument `Derived` in __PRETTY_FUNCTION__, without namespaces.
std::string unqualified_class_name(std::string_view pretty_function);

template <class T> const Tensor* as_tensor(const T& argument) {
  if constexpr (std::is_base_of_v<Tensor, T>)
    return &argument;
  else
    return nullptr;
}
inline std::vector<Tensor> to_tensor_vector(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> to_tensor_vector(std::vector<Tensor> t) { return t; }
template <class... T> std::vector<Tensor> to_tensor_vector(std::tuple<T...> t) {
  return std::apply([](auto&... each) { return std::vector<Tensor>{each...}; }, t);
}
template <class R> R from_tensor_vector(std::vector<Tensor> list) {
  if constexpr (std::is_same_v<R, Tensor>)
    return std::move(list[0]);
  else if constexpr (std::is_same_v<R, std::vector<Tensor>>)
    return list;
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return R{std::move(list[I])...}; }
  (std::make_index_sequence<std::tuple_size_v<R>>{});
}

}  // namespace detail

/// Base of user-defined operations. Derived passes itself as the template argument and defines
///
///     static Tensor forward(Context& ctx, arguments...);       // or a tuple or vector of tensors
///     static std::vector<Tensor> backward(Context& ctx, const std::vector<Tensor>& grads);
///
/// where backward returns one gradient per argument of forward, undefined if there is none. With
/// `static constexpr bool once_differentiable = true`, double differentiation throws RuntimeError.
/// PyTorch: torch.autograd.Function.
template <class Derived> struct Function {
  /// Runs forward, records the operation and returns the result of forward; called as
  /// `Derived::apply(arguments...)`.
  /// PyTorch: torch.autograd.Function.apply.
  template <class... A> static auto apply(const A&... arguments) {
    auto context = std::make_shared<Context>();
    using R = decltype(Derived::forward(*context, arguments...));
    constexpr bool once = [] {
      if constexpr (requires { Derived::once_differentiable; })
        return Derived::once_differentiable;
      else
        return false;
    }();
    return detail::from_tensor_vector<R>(detail::apply_custom(
        {detail::unqualified_class_name(static_cast<const char*>(__PRETTY_FUNCTION__)) + "Backward",
         once, &Derived::backward},
        context, {detail::as_tensor(arguments)...},
        [&] { return detail::to_tensor_vector(Derived::forward(*context, arguments...)); }));
  }
};

}  // namespace autograd
}  // namespace taper
