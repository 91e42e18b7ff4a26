// Optional: a module member that may be None.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/nn/member_visitor.h"

namespace TAPER_API taper {
namespace nn {

/// std::optional of a module that `clone()` copies. A std::optional cannot be copied because
/// modules are not copyable.
///
///   nn::Optional<nn::Conv2d> shortcut;
template <class M> class Optional : public std::optional<M> {
 public:
  Optional() noexcept = default;
  Optional(std::nullopt_t) noexcept {}
  Optional(M&& module) : std::optional<M>(std::move(module)) {}
  /// Used by clone().
  explicit Optional(Optional& other) : std::optional<M>() {
    if (other) this->emplace(*other);
  }
  Optional(const Optional&) = delete;
  Optional(Optional&&) noexcept = default;
  Optional& operator=(Optional&&) noexcept = default;
};

namespace detail {
template <class M> inline constexpr bool kIsOptional<Optional<M>> = true;
}  // namespace detail
}  // namespace nn
}  // namespace taper
