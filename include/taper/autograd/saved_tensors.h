// Where nodes keep the tensors that their backward needs.
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/function.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// How one kind of packed tensor is made and read.
struct SavedHooks {
  Function<std::shared_ptr<void>(const Tensor&)> pack;
  Function<Tensor(const std::shared_ptr<void>&)> unpack;
};

namespace autograd {

/// What operations of this scope and thread keep for their backward goes through `pack(tensor)`,
/// which returns anything that can be moved, and comes back through `unpack(packed)` as a tensor of
/// the same contents: to put it on disk, on another device, or to compute it again. Both run
/// without recording. The innermost scope alone applies. PyTorch:
/// torch.autograd.graph.saved_tensors_hooks.
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
