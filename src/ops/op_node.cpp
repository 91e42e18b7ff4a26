#include "ops/op_node.h"

#include <memory>

#include "core/never_destroyed.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

template <class T> T* construct_array(std::byte*& at, std::size_t count) {
  auto* first = reinterpret_cast<T*>(at);
  std::uninitialized_default_construct_n(first, count);
  at += count * sizeof(T);
  return first;
}

}  // namespace

Ref<OpNode> OpNode::make(const OpDescriptor& descriptor, const void* attributes,
                         std::size_t inputs) {
  const auto outputs = static_cast<std::size_t>(descriptor.output_count);
  const std::size_t saved = count_bits(descriptor.info.saved);
  const std::size_t bytes = sizeof(OpNode) + inputs * (sizeof(Edge) + sizeof(TensorMeta)) +
                            outputs * sizeof(TensorMeta) + saved * sizeof(SavedVariable) +
                            descriptor.align + descriptor.size;
  auto* block = static_cast<std::byte*>(pool_allocate(bytes));
  auto* node = ::new (block) OpNode(descriptor, bytes);
  std::byte* at = block + sizeof(OpNode);
  node->edges_ = construct_array<Edge>(at, inputs);
  node->input_meta_ = construct_array<TensorMeta>(at, inputs);
  node->outputs_ = construct_array<TensorMeta>(at, outputs);
  node->saved_ = construct_array<SavedVariable>(at, saved);
  node->edge_count_ = static_cast<std::uint32_t>(inputs);
  node->output_count_ = static_cast<std::uint32_t>(outputs);
  node->saved_count_ = saved;
  at += -reinterpret_cast<std::uintptr_t>(at) & (descriptor.align - 1);
  descriptor.copy(at, attributes);
  node->attributes_ = at;
  return Ref<OpNode>::adopt(node);
}

OpNode::~OpNode() {
  std::destroy_n(edges_, edge_count_);
  std::destroy_n(input_meta_, edge_count_);
  std::destroy_n(outputs_, output_count_);
  std::destroy_n(saved_, saved_count_);
  descriptor_.end(attributes_);
}

void OpNode::dispose() noexcept {
  const std::size_t bytes = bytes_;
  this->~OpNode();
  pool_release(this, bytes);
}

void OpNode::backward(std::span<Tensor> grads, std::span<Tensor> results) {
  descriptor_.backward(attributes_, grads, results, *this);
}

void OpNode::release_saved() {
  for (std::size_t i = 0; i < saved_count_; ++i)
    if (saved_[i].has_value()) saved_[i].release();
}

bool BackwardContextBase::needs_input_grad(int i) const {
  const auto at = static_cast<std::size_t>(i);
  return at < node_.inputs() && node_.needs_input_grad(at);
}
const Tensor& BackwardContextBase::grad(int i) {
  Tensor& g = grads_[static_cast<std::size_t>(i)];
  if (!g.defined()) {
    const TensorMeta& m = output_meta(i);
    g = zeros(m.shape, {.dtype = m.dtype, .device = m.device});
  }
  return g;
}
const Tensor& BackwardContextBase::saved_input(int i) {
  const auto at = static_cast<std::size_t>(i);
  if (at >= node_.inputs() || !node_.saved_in(at).has_value()) {
    static const NeverDestroyed<Tensor> absent;
    return *absent;
  }
  const Edge& e = node_.edge(at);
  const SavedVariable& saved = node_.saved_in(at);
  if (const Tensor* t = saved.peek(node_, &e, e.output_nr)) return *t;
  return unpacked_.emplace_front(saved.unpack(node_, &e, e.output_nr));
}
const Tensor& BackwardContextBase::saved_output(int i) {
  const SavedVariable& saved = node_.saved_out(static_cast<std::size_t>(i));
  const auto nr = static_cast<std::uint32_t>(i);
  if (const Tensor* t = saved.peek(node_, nullptr, nr)) return *t;
  return unpacked_.emplace_front(saved.unpack(node_, nullptr, nr));
}
const TensorMeta& BackwardContextBase::input_meta(int i) const {
  return node_.input_meta(static_cast<std::size_t>(i));
}
const TensorMeta& BackwardContextBase::output_meta(int i) const {
  return node_.output_meta(static_cast<std::size_t>(i));
}
int BackwardContextBase::num_inputs() const { return static_cast<int>(node_.inputs()); }

}  // namespace taper
