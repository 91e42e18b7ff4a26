// OpNode: autograd node of a declared op, allocated as one block with its edges, shapes, saved
// tensors and attributes.
#pragma once
#include "ops/op.h"

namespace taper {

/// Returns the number of set bits. Replaces std::popcount, which compiles to a library call on
/// targets without a population count instruction.
constexpr std::size_t count_bits(unsigned x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/// Autograd node of a declared op.
class OpNode final : public Node {
 public:
  static Ref<OpNode> make(const OpDescriptor& descriptor, const void* attributes,
                          std::size_t inputs);
  ~OpNode() override;

  std::string name() const override { return std::string(descriptor_.info.node); }
  void backward(std::span<Tensor> grads, std::span<Tensor> results) override;
  bool can_add_input_grad() const override { return descriptor_.add_input_grad; }
  void add_input_grad(const Tensor& grad, Tensor& total) override {
    descriptor_.add_input_grad(attributes_, grad, total);
  }
  void release_saved() override;
  bool finishes_last_leaf_first() const override { return descriptor_.info.last_input_first; }

  const OpDescriptor& descriptor() const { return descriptor_; }
  const void* attributes() const { return attributes_; }
  Edge& edge(std::size_t i) { return edges_[i]; }
  TensorMeta& input_meta(std::size_t i) { return input_meta_[i]; }
  TensorMeta& output_meta(std::size_t i) { return outputs_[i]; }
  SavedVariable& saved_in(std::size_t i) { return saved_[slot(static_cast<unsigned>(i))]; }
  SavedVariable& saved_out(std::size_t i) { return saved_[slot(static_cast<unsigned>(16 + i))]; }
  std::size_t inputs() const { return edge_count_; }

 private:
  OpNode(const OpDescriptor& descriptor, std::size_t bytes)
      : descriptor_(descriptor), bytes_(bytes) {}
  std::size_t slot(unsigned bit) const {
    return count_bits(descriptor_.info.saved & ((1u << bit) - 1));
  }
  void dispose() noexcept override;

  const OpDescriptor& descriptor_;
  std::size_t bytes_;
  TensorMeta* input_meta_ = nullptr;
  SavedVariable* saved_ = nullptr;
  std::size_t saved_count_ = 0;
  void* attributes_ = nullptr;
};

}  // namespace taper
