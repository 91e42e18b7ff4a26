// SavedTensorsHooks: packs and unpacks the tensors that are saved for backward.
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Type-erased pack and unpack hooks.
struct SavedHooks {
  SharedFunction<std::shared_ptr<void>(const Tensor&)> pack;
  SharedFunction<Tensor(const std::shared_ptr<void>&)> unpack;
};

namespace autograd {

/// Applies hooks to the tensors that operations of the current thread save for backward, for the
/// duration of a scope. `pack(tensor)` returns an object of any movable type, from which
/// `unpack(packed)` restores a tensor with the same contents, for example to store it on disk or on
/// another device, or to recompute it. Both run in no-grad mode. Only the innermost scope
/// applies. PyTorch: torch.autograd.graph.saved_tensors_hooks.
class SavedTensorsHooks {
 public:
  template <std::invocable<const Tensor&> Pack, class Unpack>
  requires std::invocable < Unpack&, const std::invoke_result_t<Pack&, const Tensor&>
  & > SavedTensorsHooks(Pack pack, Unpack unpack) {
    using Packed = std::remove_cvref_t<std::invoke_result_t<Pack&, const Tensor&>>;
    install({.pack = [pack = std::move(pack)](const Tensor& t) mutable -> std::shared_ptr<void> {
               return std::make_shared<Packed>(pack(t));
             },
             .unpack =
                 [unpack = std::move(unpack)](const std::shared_ptr<void>& packed) mutable {
                   return Tensor(unpack(std::as_const(*static_cast<Packed*>(packed.get()))));
                 }});
  }
  ~SavedTensorsHooks();
  SavedTensorsHooks(const SavedTensorsHooks&) = delete;
  SavedTensorsHooks& operator=(const SavedTensorsHooks&) = delete;

 private:
  void install(SavedHooks hooks);
  std::shared_ptr<SavedHooks> hooks_;
  const std::shared_ptr<SavedHooks>* outer_ = nullptr;
};

}  // namespace autograd
}  // namespace taper
