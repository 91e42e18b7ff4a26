// skip_init: constructs a module without initializing its parameters.
#pragma once
#include <optional>
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn::utils {

namespace detail {

template <class O>
concept WithDevice = requires(O& options) {
  options.device = Device::meta();
};

/// Converts to the default options of a constructor, with device meta.
struct OptionsOnMeta {
  template <class O>
  requires(WithDevice<O>&& std::is_default_constructible_v<O>) operator O() const {
    O options;
    options.device = Device::meta();
    return options;
  }
};

/// Constructs a module with device meta instead of the device of its options, which is stored in
/// `device`.
template <class M, class... A> M made_on_meta(std::optional<Device>& device, A&&... a) {
  const auto moved = [&](auto&& argument) -> decltype(auto) {
    using O = std::remove_cvref_t<decltype(argument)>;
    if constexpr (WithDevice<O>) {
      O options = argument;
      device = options.device;
      options.device = Device::meta();
      return options;
    } else {
      return std::forward<decltype(argument)>(argument);
    }
  };
  if constexpr ((WithDevice<std::remove_cvref_t<A>> || ...)) {
    return M(moved(std::forward<A>(a))...);
  } else {
    constexpr bool takes_options = std::is_constructible_v<M, A..., OptionsOnMeta>;
    static_assert(takes_options,
                  "skip_init: the constructor of this module takes no options with a device, so it "
                  "cannot be built on meta");
    if constexpr (takes_options) return M(std::forward<A>(a)..., OptionsOnMeta());
  }
}

}  // namespace detail

/// Constructs a module without initializing its parameters: it is constructed on meta and moved to
/// the device of its options by to_empty. Options must be named explicitly:
/// `skip_init<nn::Linear>(784, 10, nn::LinearOptions{.bias = false})`. Does not compile for a class
/// whose constructor does not have options with a device. PyTorch: torch.nn.utils.skip_init.
template <class M, class... A> M skip_init(A&&... arguments) {
  static_assert(std::is_base_of_v<Module, M>, "skip_init: expected a module class");
  std::optional<Device> device;
  M module = detail::made_on_meta<M>(device, std::forward<A>(arguments)...);
  module.to_empty(device.value_or(Device::cpu()));
  return module;
}

}  // namespace nn::utils
}  // namespace taper
