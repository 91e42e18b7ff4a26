#include "autograd/hooks.h"

#include <algorithm>
#include <atomic>

#include "autograd/node.h"
#include "core/check.h"

namespace taper {

std::uint64_t next_hook_id() {
  static std::atomic<std::uint64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t HookList::add(Function<Tensor(const Tensor&)> call) {
  std::lock_guard lock(mutex);
  entries.push_back({next_hook_id(), std::move(call)});
  return entries.back().id;
}
void HookList::remove_hook(std::uint64_t id) {
  std::lock_guard lock(mutex);
  std::erase_if(entries, [&](const Entry& e) { return e.id == id; });
}
std::vector<HookList::Entry> HookList::snapshot() {
  std::lock_guard lock(mutex);
  return entries;
}

void run_hooks(HookList& hooks, Tensor& grad) {
  for (const HookList::Entry& e : hooks.snapshot()) {
    const Tensor replaced = e.call(grad);
    if (!replaced) continue;
    if (!(replaced.shape() == grad.shape()))
      fail<ShapeError>("tensor hook {}: has changed the size of value: got {}, expected {}", e.id,
                       replaced.shape(), grad.shape());
    if (replaced.dtype() != grad.dtype())
      fail<DTypeError>("tensor hook {}: has changed the type of value (was {}, got {})", e.id,
                       grad.dtype(), replaced.dtype());
    if (!(replaced.device() == grad.device()))
      fail<DeviceError>("tensor hook {}: has changed the device of value (was {}, got {})", e.id,
                        grad.device(), replaced.device());
    grad = replaced;
  }
}

namespace {

/// The hooks on the gradient of output `nr` of a node.
NodeExtra::OnOutput& on_output(Node& node, std::uint32_t nr) {
  for (auto& o : node.extras().on_output)
    if (o.output_nr == nr) return o;
  return node.extras().on_output.emplace_back(NodeExtra::OnOutput{nr, nullptr, nullptr});
}

std::shared_ptr<HookList>& made(std::shared_ptr<HookList>& list) {
  if (!list) list = std::make_shared<HookList>();
  return list;
}

}  // namespace

HookHandle Tensor::register_hook(Function<Tensor(const Tensor&)> hook) const {
  TensorImpl& t = taper::impl(*this);
  const Edge e = edge_of(t);
  if (!e)
    fail<RuntimeError>(
        "register_hook: cannot register a hook on a tensor that doesn't require gradient");
  auto& list = e.leaf ? made(t.extras().hooks) : made(on_output(*e.node, e.output_nr).hooks);
  return {list, list->add(std::move(hook))};
}

HookHandle Tensor::register_post_accumulate_grad_hook(Function<void(const Tensor&)> hook) const {
  if (!requires_grad() || !is_leaf())
    fail<RuntimeError>(
        "register_post_accumulate_grad_hook: post accumulate grad hooks can only be registered on "
        "leaf tensors that require grad");
  auto& list = made(taper::impl(*this).extras().accumulated_hooks);
  return {list, list->add([hook = std::move(hook)](const Tensor& t) {
            hook(t);
            return Tensor();
          })};
}

void Tensor::retain_grad() const {
  TensorImpl& t = taper::impl(*this);
  const Edge e = edge_of(t);
  if (!e)
    fail<RuntimeError>("retain_grad: can't retain_grad on Tensor that has requires_grad=False");
  if (e.leaf) return;
  t.extras().retains_grad = true;
  on_output(*e.node, e.output_nr).retain = &t;
}

void forget_retained(Node& node, const TensorImpl* t) noexcept {
  if (!node.extra) return;
  for (auto& o : node.extra->on_output)
    if (o.retain == t) o.retain = nullptr;
}

bool Tensor::retains_grad() const {
  const TensorImpl& t = taper::impl(*this);
  return t.node && t.extra && t.extra->retains_grad;
}

}  // namespace taper
