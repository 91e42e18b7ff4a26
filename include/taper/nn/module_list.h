// ModuleList: an indexed container of modules.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/container.h"

namespace TAPER_API taper {
namespace nn {

/// Stores modules in a list. Modules are named by their indices. Calling it throws
/// NotImplementedError because it does not have a forward. PyTorch: torch.nn.ModuleList.
///
///   nn::ModuleList two{nn::Linear(10, 10), nn::Linear(10, 10)};
///   nn::ModuleList layers;
///   for (int i = 0; i < 3; ++i) layers.append(nn::Linear(10, 10));
///   for (nn::Module& layer : layers) x = layer(x);
///
/// Modules are moved in, individually or from a range; pass std::shared_ptr to share them. Use
/// braces, as for nn::Sequential.
class ModuleList : public Layer<ModuleList, IndexedContainer> {
 public:
  ModuleList(std::initializer_list<detail::ModuleElement> modules);
  template <class First, class... M>
  requires(
      sizeof...(M) > 0 ||
      !std::same_as<std::remove_cvref_t<First>, ModuleList>) explicit ModuleList(First&& first,
                                                                                 M&&... others) {
    if constexpr (sizeof...(M) == 0 && detail::ModuleRange<First>) {
      append_all(std::forward<First>(first));
    } else {
      detail::check_order_of_arguments<First, M...>();
      append(std::forward<First>(first));
      (append(std::forward<M>(others)), ...);
    }
  }
  TAPER_LAYER(ModuleList)

  using IndexedContainer::operator[];
  /// Returns a list of the modules of a slice, shared and renumbered from 0.
  ModuleList operator[](const Slice& slice) const;

  /// Appends a module; returns the list.
  template <class M> ModuleList& append(M&& module) {
    append_shared(detail::shared_module(std::forward<M>(module)));
    return *this;
  }
  /// Appends each module of a container or range; returns the list.
  template <class R> ModuleList& extend(R&& modules) {
    static_assert(detail::ModuleRange<R>, "ModuleList.extend should be called with an iterable");
    if constexpr (detail::ModuleRange<R>) append_all(std::forward<R>(modules));
    return *this;
  }
  /// Inserts a module before child i. An index beyond the end is accepted and leaves a gap in the
  /// names. Throws KeyError if i is negative.
  template <class M> void insert(std::int64_t i, M&& module) {
    insert_shared(i, detail::shared_module(std::forward<M>(module)));
  }
  using IndexedContainer::pop;
  /// Removes the modules of a slice and returns them.
  ModuleList pop(const Slice& slice);

  /// Appends each module of a container or range, as `extend`.
  template <class R> ModuleList& operator+=(R&& modules) {
    return extend(std::forward<R>(modules));
  }
  /// Returns a new list of the modules of both operands, shared.
  template <detail::ModuleRange R> friend ModuleList operator+(const ModuleList& a, R&& b) {
    ModuleList sum;
    sum.append_all(a);
    sum.append_all(std::forward<R>(b));
    return sum;
  }

  /// Returns the printed form; consecutive children with equal printed forms are folded:
  /// `(0-2): 3 x Linear(...)`.
  std::string str() const override;
};

}  // namespace nn
}  // namespace taper
