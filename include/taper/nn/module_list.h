// A list of modules.
#pragma once
#include "taper/nn/container.h"

namespace taper::nn {

/// Holds modules for a forward that is written elsewhere; has none itself, so calling it throws
/// NotImplementedError.
/// PyTorch: torch.nn.ModuleList.
///
///   nn::ModuleList layers;
///   for (int i = 0; i < 3; ++i) layers.append(nn::Linear(10, 10));
///   for (nn::Module& layer : layers) x = layer(x);
class ModuleList : public ModuleRow {
 public:
  template <detail::ModuleArgument First, detail::ModuleArgument... M>
  requires(
      sizeof...(M) > 0 ||
      !std::same_as<std::remove_cvref_t<First>, ModuleList>) explicit ModuleList(First&& first,
                                                                                 M&&... others) {
    append(std::forward<First>(first));
    (append(std::forward<M>(others)), ...);
  }
  TAPER_LAYER(ModuleList)

  template <detail::ModuleArgument M> ModuleList& append(M&& module) {
    append_shared(detail::shared_module(std::forward<M>(module)));
    return *this;
  }

  /// Runs of children that print alike are folded: `(0-2): 3 x Linear(...)`.
  std::string str() const override;
};

}  // namespace taper::nn
