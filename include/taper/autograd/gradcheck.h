// gradcheck and gradgradcheck: comparison of gradients with finite differences.
#pragma once
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "taper/autograd/autograd.h"
#include "taper/core/api.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {
namespace autograd {

/// Options of gradcheck. The defaults are those of PyTorch and suitable for float64 inputs.
struct GradcheckOptions {
  /// Step of the finite differences, and tolerances as for allclose.
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3;
  bool raise_exception = true;  ///< if false: returns false if the Jacobians differ
};
namespace detail {

template <class F, class... Inputs>
concept TensorFunction = requires(F& f, const Inputs&... inputs) {
  { f(inputs...) } -> std::convertible_to<Tensor>;
}
|| requires(F& f, const Inputs&... inputs) {
  { f(inputs...) } -> std::convertible_to<std::vector<Tensor>>;
};
/// Number of tensors that F takes, up to 4; 0: it takes a vector of tensors, -1: neither.
template <class F> constexpr int input_count() {
  if constexpr (TensorFunction<F, Tensor>)
    return 1;
  else if constexpr (TensorFunction<F, Tensor, Tensor>)
    return 2;
  else if constexpr (TensorFunction<F, Tensor, Tensor, Tensor>)
    return 3;
  else if constexpr (TensorFunction<F, Tensor, Tensor, Tensor, Tensor>)
    return 4;
  else
    return TensorFunction<F, std::vector<Tensor>> ? 0 : -1;
}
/// Throws ValueError unless there are `expected` inputs.
void check_input_count(std::size_t given, int expected);

template <class F> using Held = std::tuple<
    std::conditional_t<std::is_copy_constructible_v<std::decay_t<F>>, std::decay_t<F>, F>>;

inline std::vector<Tensor> output_list(Tensor output) { return {std::move(output)}; }
inline std::vector<Tensor> output_list(std::vector<Tensor> outputs) { return outputs; }

}  // namespace detail

/// Function from tensors to one tensor or a vector of tensors. It takes up to 4 tensors, or a
/// vector of tensors. A module is referred to, other callables are copied.
class Differentiable {
 public:
  template <class F>
  requires(detail::input_count<std::decay_t<F>>() >= 0) Differentiable(F&& f)
      : function_(
            [held = detail::Held<F>(std::forward<F>(f))](const std::vector<Tensor>& x) mutable {
              auto& callable = std::get<0>(held);
              constexpr int kCount = detail::input_count<std::decay_t<F>>();
              if constexpr (kCount == 0) {
                return detail::output_list(callable(x));
              } else {
                detail::check_input_count(x.size(), kCount);
                return [&]<std::size_t... I>(std::index_sequence<I...>) {
                  return detail::output_list(callable(x[I]...));
                }
                (std::make_index_sequence<static_cast<std::size_t>(kCount)>{});
              }
            }) {}
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const {
    return function_(inputs);
  }

 private:
  taper::SharedFunction<std::vector<Tensor>(const std::vector<Tensor>&)> function_;
};

/// Compares the Jacobian that backward computes with central finite differences. Returns true if
/// they agree. Warns if an input that requires gradients is not float64. Throws ValueError if no
/// input requires gradients or `f` takes another number of inputs, RuntimeError with both Jacobians
/// if they differ. PyTorch: torch.autograd.gradcheck.
///
///   gradcheck([](const Tensor& x, const Tensor& w) { return x.matmul(w); }, {x, w});
bool gradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options = {});
bool gradcheck(const Differentiable& f, const Tensor& input, const GradcheckOptions& options = {});
/// Compares the second derivatives of `f` with finite differences: applies gradcheck to the
/// gradients of `f`, as a function of its inputs and of the gradients of its outputs. The latter
/// have evenly spaced values in [-0.9, 1.1]. Errors are those of gradcheck.
/// PyTorch: torch.autograd.gradgradcheck.
bool gradgradcheck(const Differentiable& f, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options = {});
bool gradgradcheck(const Differentiable& f, const Tensor& input,
                   const GradcheckOptions& options = {});

}  // namespace autograd
}  // namespace taper
