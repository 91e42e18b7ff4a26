#include "autograd/hooks.h"

#include <algorithm>

#include "autograd/accumulate.h"
#include "core/check.h"

namespace taper {

std::uint64_t next_hook_id() {
  static std::atomic<std::uint64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

HookList::~HookList() {
  if (of_leaf) leaf_hook_count.fetch_sub(entries.size(), std::memory_order_relaxed);
}
std::uint64_t HookList::add(SharedFunction<Tensor(const Tensor&)> call) {
  std::lock_guard lock(mutex);
  entries.push_back({next_hook_id(), std::move(call)});
  if (of_leaf) leaf_hook_count.fetch_add(1, std::memory_order_relaxed);
  return entries.back().id;
}
void HookList::remove_hook(std::uint64_t id) {
  std::lock_guard lock(mutex);
  const std::size_t removed = std::erase_if(entries, [&](const Entry& e) { return e.id == id; });
  if (of_leaf) leaf_hook_count.fetch_sub(removed, std::memory_order_relaxed);
}
std::vector<HookList::Entry> HookList::snapshot() {
  std::lock_guard lock(mutex);
  return entries;
}

namespace {

/// Throws unless the result of hook `id` has the shape, dtype and device of `grad`.
void check_same_metadata(std::string_view what, std::uint64_t id, const Tensor& replacement,
                         const Tensor& grad) {
  if (!(replacement.shape() == grad.shape()))
    fail<ShapeError>("{} hook {}: has changed the size of value: got {}, expected {}", what, id,
                     replacement.shape(), grad.shape());
  if (replacement.dtype() != grad.dtype())
    fail<DTypeError>("{} hook {}: has changed the type of value (was {}, got {})", what, id,
                     grad.dtype(), replacement.dtype());
  if (!(replacement.device() == grad.device()))
    fail<DeviceError>("{} hook {}: has changed the device of value (was {}, got {})", what, id,
                      grad.device(), replacement.device());
}

void replace_gradients(const Node& node, std::uint64_t id, std::span<Tensor> grads,
                       const std::vector<Tensor>& replacement) {
  if (replacement.empty()) return;
  if (replacement.size() != grads.size())
    fail<RuntimeError>(
        "{} hook {}: has returned an incorrect number of values (got {}, but expected {})",
        node.name(), id, replacement.size(), grads.size());
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!replacement[i].defined()) continue;
    if (!grads[i].defined())
      fail<RuntimeError>("{} hook {}: can't replace a None gradient with a non-None value",
                         node.name(), id);
    check_same_metadata(node.name(), id, replacement[i], grads[i]);
  }
  std::copy(replacement.begin(), replacement.end(), grads.begin());
}

}  // namespace

void run_hooks(HookList& hooks, Tensor& grad) {
  for (const HookList::Entry& e : hooks.snapshot()) {
    const Tensor replacement = e.call(grad);
    if (!replacement.defined()) continue;
    check_same_metadata("tensor", e.id, replacement, grad);
    grad = replacement;
  }
}

void NodeHooks::remove_hook(std::uint64_t id) {
  std::lock_guard lock(mutex);
  std::erase_if(before, [&](const Before& e) { return e.id == id; });
  std::erase_if(after, [&](const After& e) { return e.id == id; });
}

void NodeHooks::run_before(const Node& node, std::span<Tensor> grads) {
  std::unique_lock lock(mutex);
  const std::vector<Before> list = before;
  lock.unlock();
  for (const Before& e : list)
    replace_gradients(node, e.id, grads, e.call(Gradients(grads.begin(), grads.end())));
}

void NodeHooks::run_after(const Node& node, std::span<Tensor> results, const Gradients& grads) {
  std::unique_lock lock(mutex);
  const std::vector<After> list = after;
  lock.unlock();
  for (const After& e : list)
    replace_gradients(node, e.id, results,
                      e.call(Gradients(results.begin(), results.end()), grads));
}

namespace {

/// Returns the hooks on the gradient of output `nr` of a node, an empty entry if there are none
/// yet.
NodeExtra::OutputHooks& output_hooks(Node& node, std::uint32_t nr) {
  for (auto& o : node.extras().output_hooks)
    if (o.output_nr == nr) return o;
  return node.extras().output_hooks.emplace_back(NodeExtra::OutputHooks{nr, nullptr, nullptr});
}

std::shared_ptr<HookList> get_or_create_leaf_hooks(TensorImpl& leaf, HookListMember member) {
  const LeafLock lock(leaf);
  std::shared_ptr<HookList>& list = leaf.autograd_meta().*member;
  if (!list) list = std::make_shared<HookList>(true);
  return list;
}

std::shared_ptr<HookList> get_or_create_output_hooks(Node& node, std::uint32_t nr) {
  std::shared_ptr<HookList>& list = output_hooks(node, nr).hooks;
  if (!list) list = std::make_shared<HookList>(false);
  return list;
}

template <class Hooks, class Hook> RemovableHandle register_node_hook(Node* node, const char* what,
                                                                      Hooks NodeHooks::*list,
                                                                      Hook hook) {
  if (!node) fail<RuntimeError>("{}: cannot register a hook on a tensor that has no grad_fn", what);
  std::shared_ptr<NodeHooks>& hooks = node->extras().hooks;
  if (!hooks) hooks = std::make_shared<NodeHooks>();
  const std::uint64_t id = next_hook_id();
  std::lock_guard lock(hooks->mutex);
  (hooks.get()->*list).push_back({id, std::move(hook)});
  return {hooks, id};
}

}  // namespace

std::shared_ptr<HookList> leaf_hooks(const TensorImpl& leaf, HookListMember member) {
  const LeafLock lock(leaf);
  return leaf.extra ? leaf.extra.get()->*member : nullptr;
}

RemovableHandle GradFn::register_hook(
    SharedFunction<Gradients(const Gradients&, const Gradients&)> hook) const {
  return register_node_hook(node(), "register_hook", &NodeHooks::after, std::move(hook));
}
RemovableHandle GradFn::register_prehook(SharedFunction<Gradients(const Gradients&)> hook) const {
  return register_node_hook(node(), "register_prehook", &NodeHooks::before, std::move(hook));
}

RemovableHandle Tensor::register_hook(SharedFunction<Tensor(const Tensor&)> hook) const {
  TensorImpl& t = taper::impl(*this);
  const Edge e = edge_of(t);
  if (!e)
    fail<RuntimeError>(
        "register_hook: cannot register a hook on a tensor that doesn't require gradient");
  const std::shared_ptr<HookList> list = e.leaf ? get_or_create_leaf_hooks(t, &AutogradMeta::hooks)
                                                : get_or_create_output_hooks(*e.node, e.output_nr);
  return {list, list->add(std::move(hook))};
}

RemovableHandle Tensor::register_post_accumulate_grad_hook(
    SharedFunction<void(const Tensor&)> hook) const {
  if (!requires_grad() || !is_leaf())
    fail<RuntimeError>(
        "register_post_accumulate_grad_hook: post accumulate grad hooks can only be registered on "
        "leaf tensors that require grad");
  const std::shared_ptr<HookList> list =
      get_or_create_leaf_hooks(taper::impl(*this), &AutogradMeta::accumulated_hooks);
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
  t.autograd_meta().retains_grad = true;
  output_hooks(*e.node, e.output_nr).retain = &t;
}

void clear_retains_grad(Node& node, const TensorImpl* t) noexcept {
  if (!node.extra) return;
  for (auto& o : node.extra->output_hooks)
    if (o.retain == t) o.retain = nullptr;
}

bool Tensor::retains_grad() const {
  const TensorImpl& t = taper::impl(*this);
  return t.node && t.extra && t.extra->retains_grad;
}

}  // namespace taper
