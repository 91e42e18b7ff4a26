// Modules one after the other.
#pragma once
#include "taper/nn/container.h"

namespace taper::nn {

/// Feeds its input through its children in order. PyTorch: torch.nn.Sequential.
///
///   nn::Sequential net(nn::Linear(784, 100), nn::ReLU(), nn::Linear(100, 10));
///   net.append(nn::LogSoftmax(1));
///   Tensor y = net(x);
///
/// Children are named "0", "1", ..., or as given: `Sequential({{"fc", nn::Linear(784, 10)}})`. They
/// are moved in; pass a std::shared_ptr to share one. (One Sequential inside another is appended:
/// as the only argument of the constructor it would be moved from.)
class Sequential : public ModuleRow {
 public:
  template <detail::ModuleArgument First, detail::ModuleArgument... M>
  requires(
      sizeof...(M) > 0 ||
      !std::same_as<std::remove_cvref_t<First>, Sequential>) explicit Sequential(First&& first,
                                                                                 M&&... others) {
    append(std::forward<First>(first));
    (append(std::forward<M>(others)), ...);
  }
  Sequential(std::initializer_list<NamedChild> children);
  TAPER_LAYER(Sequential)

  /// Adds a child under the next number; gives the container back.
  template <detail::ModuleArgument M> Sequential& append(M&& module) {
    append_shared(detail::shared_module(std::forward<M>(module)));
    return *this;
  }

  /// The last child's result. An empty container gives its input. Throws TypeError for a child that
  /// is None, or takes or gives something else than a tensor: those work
  /// through `call`, where what a child gives is the one argument of the next.
  Tensor forward(const Tensor& input);
};

}  // namespace taper::nn
