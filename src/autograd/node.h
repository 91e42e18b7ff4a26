// Node: an operation recorded for the backward pass.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/hooks.h"
#include "core/tensor_impl.h"
#include "core/thread_local_state.h"

namespace taper {

struct TensorMeta {
  Shape shape;
  DType dtype = DType::f32;
  Device device;
};

/// Destination of a gradient: an output of the node that created the tensor, or a leaf.
struct Edge {
  Ref<Node> node;
  Ref<TensorImpl> leaf;
  std::uint32_t output_nr = 0;
  explicit operator bool() const { return node || leaf; }
  /// Returns the address of the node or leaf; null for an edge without destination.
  const void* target() const { return node ? static_cast<const void*>(node.get()) : leaf.get(); }
};
/// Returns the gradient edge of a tensor. If it is a view whose base was rebased, the history of
/// the view is recomputed first.
Edge edge_of(TensorImpl& t);

/// Hooks on the gradients of a node, and its error context.
struct NodeExtra {
  struct OutputHooks {
    std::uint32_t output_nr;
    std::shared_ptr<HookList> hooks;
    TensorImpl* retain = nullptr;  ///< tensor that retains the gradient; null once it is destroyed
  };
  std::vector<OutputHooks> output_hooks;
  std::shared_ptr<NodeHooks> hooks;
  std::shared_ptr<const ErrorContext> forward_context;  ///< creating module call, in anomaly mode
};

class Node : public RefCounted {
 public:
  Node() : sequence_nr(next_sequence_nr()) {
    if (tls.anomaly || tls.observer) [[unlikely]]
      report_creation();
  }
  ~Node() override;
  static void* operator new(std::size_t n) { return pool_allocate(n); }
  static void operator delete(void* p, std::size_t n) { pool_release(p, n); }

  /// Returns the name that PyTorch prints: "AddBackward0".
  virtual std::string name() const = 0;
  /// Computes the gradients of the inputs with a valid edge from the gradients of the outputs,
  /// where undefined means zero.
  virtual void backward(std::span<Tensor> grads, std::span<Tensor> results) = 0;
  /// Returns true if the node, of one input and one output, can add its gradient in place, as a
  /// view of a part can, whose `backward` returns mostly zeros.
  virtual bool can_add_input_grad() const { return false; }
  /// Adds the gradient of the input to `total`; called if can_add_input_grad().
  virtual void add_input_grad(const Tensor& /*grad*/, Tensor& /*total*/) {}
  /// Returns true if `backward` runs even when every output gradient is undefined (custom functions
  /// receive zeros).
  virtual bool materializes_undefined_grads() const { return false; }
  /// Releases saved tensors. A later backward that requires them throws.
  virtual void release_saved() {}
  /// Returns true if the leaf of the last edge is finished before those of the other edges.
  virtual bool finishes_last_leaf_first() const { return false; }
  std::span<Edge> edges() const { return {edges_, edge_count_}; }
  std::span<const TensorMeta> outputs() const { return {outputs_, output_count_}; }
  bool needs_input_grad(std::size_t i) const { return static_cast<bool>(edges_[i]); }

  /// Later nodes have larger numbers, so that descending order visits consumers before producers.
  const std::uint64_t sequence_nr;
  std::unique_ptr<NodeExtra> extra;
  NodeExtra& extras() {
    if (!extra) extra = std::make_unique<NodeExtra>();
    return *extra;
  }

 protected:
  Edge* edges_ = nullptr;
  std::uint32_t edge_count_ = 0, output_count_ = 0;
  TensorMeta* outputs_ = nullptr;

 private:
  static std::uint64_t next_sequence_nr();
  /// Records the module call that creates the node, in anomaly mode, and informs observers.
  void report_creation() noexcept;
  void finish() noexcept final;  // without recursion, because chains may have millions of nodes
  virtual void dispose() noexcept { delete this; }
};

/// A tensor saved for backward, with the version that detects in-place modification.
class SavedVariable {
 public:
  SavedVariable() = default;
  /// Saves `t`, or the result of the saved-tensor hooks for `t` if any are active. `own_output` is
  /// true if `t` is an output of the saving node. Throws RuntimeError for an inference tensor.
  SavedVariable(const Tensor& t, bool own_output);
  /// Returns the tensor with its history. `edge` is the gradient edge of a saved input, or null for
  /// output `output_nr` of `node`. Throws RuntimeError if the tensor was modified in place or the
  /// graph was freed.
  Tensor unpack(const Node& node, const Edge* edge, std::uint32_t output_nr) const;
  /// Returns the tensor without its history. Used where gradients are not recorded, because rules
  /// then only read elements. Returns null if the caller must use `unpack` instead.
  const Tensor* peek(const Node& node, const Edge* edge, std::uint32_t output_nr) const;
  void release() { tensor_ = Tensor(), packed_.reset(), released_ = true; }
  bool has_value() const { return tensor_.defined() || packed_ || released_; }

 private:
  void check(const Node& node, const Edge* edge, std::uint32_t output_nr) const;

  struct Packed {
    std::shared_ptr<SavedHooks> hooks;
    std::shared_ptr<void> data;
  };
  Tensor tensor_;
  std::unique_ptr<Packed> packed_;  ///< replaces the tensor if hooks packed it
  std::uint32_t version_ = 0;
  bool leaf_ = false, released_ = false;
};

}  // namespace taper
