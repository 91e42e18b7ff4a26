// Operations of your own with a gradient of your own. PyTorch: torch.autograd.Function.
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

/// What forward leaves for backward.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Keeps inputs or outputs; backward throws if one of them was changed in place since.
  void save_for_backward(std::vector<Tensor> tensors);
  std::vector<Tensor> saved_tensors() const;
  /// Any value of yours: `ctx.state<double>() = k`. Made on first use; one value in all.
  template <class T> T& state() {
    if (!state_) state_ = std::make_shared<T>();
    return *static_cast<T*>(state_.get());
  }
  /// These inputs were changed in place by forward and are returned.
  void mark_dirty(std::vector<Tensor> tensors);
  /// These outputs have no gradient.
  void mark_non_differentiable(std::vector<Tensor> tensors);
  /// Whether gradients that did not arrive come as zeros (default) or undefined.
  void set_materialize_grads(bool value);
  /// Whether the gradient of argument i of forward is wanted.
  bool needs_input_grad(std::size_t i) const;

  struct Parts;
  Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
  std::shared_ptr<void> state_;
};

namespace detail {

struct CustomOp {
  std::string name;  ///< "ScaleBackward"
  bool once_differentiable;
  std::vector<Tensor> (*backward)(Context&, const std::vector<Tensor>&);
};
/// Runs `forward` unrecorded and records the op. `arguments`: one entry per argument of forward,
/// null for what is no tensor.
std::vector<Tensor> apply_custom(CustomOp op, std::shared_ptr<Context> context,
                                 std::vector<const Tensor*> arguments,
                                 const taper::Function<std::vector<Tensor>()>& forward);
std::string last_word(std::string_view pretty_function);

template <class T> const Tensor* as_tensor(const T& argument) {
  if constexpr (std::is_base_of_v<Tensor, T>)
    return &argument;
  else
    return nullptr;
}
inline std::vector<Tensor> listed(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> listed(std::vector<Tensor> t) { return t; }
template <class... T> std::vector<Tensor> listed(std::tuple<T...> t) {
  return std::apply([](auto&... each) { return std::vector<Tensor>{each...}; }, t);
}
template <class R> R shaped(std::vector<Tensor> list) {
  if constexpr (std::is_same_v<R, Tensor>)
    return std::move(list[0]);
  else if constexpr (std::is_same_v<R, std::vector<Tensor>>)
    return list;
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return R{std::move(list[I])...}; }
  (std::make_index_sequence<std::tuple_size_v<R>>{});
}

}  // namespace detail

/// Derive with yourself as argument and give
///
///     static Tensor forward(Context& ctx, arguments...);       // or a tuple or vector of tensors
///     static std::vector<Tensor> backward(Context& ctx, const std::vector<Tensor>& grads);
///
/// where backward gives one gradient per argument of forward (undefined where there is none). With
/// `static constexpr bool once_differentiable = true` a second differentiation is refused. Call
/// `Derived::apply(arguments...)`.
template <class Derived> struct Function {
  template <class... A> static auto apply(const A&... arguments) {
    auto context = std::make_shared<Context>();
    using R = decltype(Derived::forward(*context, arguments...));
    constexpr bool once = [] {
      if constexpr (requires { Derived::once_differentiable; })
        return Derived::once_differentiable;
      else
        return false;
    }();
    return detail::shaped<R>(detail::apply_custom(
        {detail::last_word(static_cast<const char*>(__PRETTY_FUNCTION__)) + "Backward", once,
         &Derived::backward},
        context, {detail::as_tensor(arguments)...},
        [&] { return detail::listed(Derived::forward(*context, arguments...)); }));
  }
};

}  // namespace autograd
}  // namespace taper
