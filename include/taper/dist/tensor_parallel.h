// Tensor parallelism: layers whose parameters are divided among ranks.
#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/dist/device_mesh.h"
#include "taper/dist/placement.h"
#include "taper/dist/sharded_state.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace distributed {

namespace detail {
class StyleRules;
}  // namespace detail

/// Way in which parallelize_module divides a module: one of the classes below.
/// PyTorch: torch.distributed.tensor.parallel.ParallelStyle.
class ParallelStyle {
 public:
  const std::shared_ptr<const detail::StyleRules>& rules() const { return rules_; }

 protected:
  explicit ParallelStyle(std::shared_ptr<const detail::StyleRules> rules)
      : rules_(std::move(rules)) {}

 private:
  std::shared_ptr<const detail::StyleRules> rules_;
};

/// Options of ColwiseParallel and RowwiseParallel.
struct LayerParallelOptions {
  /// Layout of the argument. Default: Replicate() for ColwiseParallel, Shard(-1) for
  /// RowwiseParallel.
  std::optional<Placement> input_layouts{};
  /// Layout of the result. Default: Shard(-1) for ColwiseParallel, Replicate() for RowwiseParallel.
  std::optional<Placement> output_layouts{};
  /// Exists for plans of PyTorch. Results are always the local tensors of the rank, whose sizes may
  /// differ between ranks.
  bool use_local_output = true;
};

/// Divides the outputs of a Linear or the columns of an Embedding: weight and bias of Linear are
/// cut along dimension 0, the weight of Embedding along dimension 1. Each rank computes its part of
/// the result; the gradient of the argument is summed over ranks.
/// PyTorch: torch.distributed.tensor.parallel.ColwiseParallel.
struct ColwiseParallel : ParallelStyle {
  explicit ColwiseParallel(const LayerParallelOptions& options = {});
};

/// Divides the inputs of a Linear or the rows of an Embedding: the weight of Linear is cut along
/// dimension 1, that of Embedding along dimension 0. The results of the ranks are summed, and the
/// bias of Linear, which every rank has, is added once afterward.
/// PyTorch: torch.distributed.tensor.parallel.RowwiseParallel.
struct RowwiseParallel : ParallelStyle {
  explicit RowwiseParallel(const LayerParallelOptions& options = {});
};

/// Options of SequenceParallel.
struct SequenceParallelOptions {
  IntArg sequence_dim = 1;        ///< dimension of which each rank has a part
  bool use_local_output = false;  ///< exists for plans of PyTorch; see LayerParallelOptions
};

/// Runs a LayerNorm, RMSNorm, Dropout or another layer that treats the positions of a sequence
/// alike on the part of the sequence of the rank. Every rank has all parameters, whose gradients
/// are summed over ranks. PyTorch: torch.distributed.tensor.parallel.SequenceParallel.
struct SequenceParallel : ParallelStyle {
  explicit SequenceParallel(const SequenceParallelOptions& options = {});
};

/// Layouts of several tensors; std::nullopt for values that remain unchanged.
struct Layouts : std::vector<std::optional<Placement>> {
  Layouts() = default;
  Layouts(const Placement& placement) : vector(1, placement) {}
  Layouts(std::initializer_list<std::optional<Placement>> list) : vector(list) {}
};

/// Options of PrepareModuleInput.
struct PrepareModuleInputOptions {
  Layouts input_layouts{};          ///< layouts of the arguments, one per argument
  Layouts desired_input_layouts{};  ///< layouts that forward of the module requires
  bool use_local_output = false;    ///< exists for plans of PyTorch; see LayerParallelOptions
};

/// Converts the arguments of any module from one layout to another.
/// PyTorch: torch.distributed.tensor.parallel.PrepareModuleInput.
struct PrepareModuleInput : ParallelStyle {
  /// Throws ValueError unless both lists have the same size.
  explicit PrepareModuleInput(const PrepareModuleInputOptions& options);
};

/// Options of PrepareModuleOutput.
struct PrepareModuleOutputOptions {
  Layouts output_layouts{};          ///< layouts of the results, one per result
  Layouts desired_output_layouts{};  ///< layouts to which they are converted
  bool use_local_output = true;      ///< exists for plans of PyTorch; see LayerParallelOptions
};

/// Converts the results of any module, a tensor or a tuple or list of tensors, from one layout to
/// another. PyTorch: torch.distributed.tensor.parallel.PrepareModuleOutput.
struct PrepareModuleOutput : ParallelStyle {
  /// Throws ValueError unless both lists have the same size.
  explicit PrepareModuleOutput(const PrepareModuleOutputOptions& options);
};

/// Entry of a plan: the path of modules and their style.
struct ParallelEntry {
  /// Path of a submodule. Each component may be a pattern, as of Python's fnmatch: "layers.*.fc1".
  /// The module itself has the empty path.
  std::string path;
  ParallelStyle style;
};
using ParallelPlan = std::vector<ParallelEntry>;

/// Options of parallelize_module.
struct ParallelizeOptions {
  /// Rank in the group whose parameters all ranks receive; std::nullopt: each rank keeps its own
  /// values.
  std::optional<int> src_data_rank = 0;
};

/// Divides the parameters of submodules among the ranks of a group and changes their calls
/// accordingly:
///
///   parallelize_module(net, init_device_mesh({4}), {{"fc1", ColwiseParallel()},
///                                                   {"fc2", RowwiseParallel()}});
///
/// The parameters remain the same objects, whose `data` becomes the part of the rank; optimizers
/// constructed afterward update this part only. Names, printed forms and keys of state dicts are
/// unchanged. A parameter of several modules may be divided by each of their styles in the same
/// way. All ranks must call the module with the same batch, and differentiate its result, in the
/// same order. Sizes that the number of ranks does not divide are accepted.
///
/// Throws ValueError for a path without a module and for parameters that do not match each other,
/// NotImplementedError for a module that the style does not support, RuntimeError for a module or
/// a parameter that is divided already; the module is then unchanged. Calls throw ShapeError or
/// IndexError for an argument that does not have the layout. All messages name the path.
/// PyTorch: torch.distributed.tensor.parallel.parallelize_module.
void parallelize_module(nn::Module& module, const Group& group, const ParallelPlan& plan,
                        const ParallelizeOptions& options = {});
/// As above, for the ranks of a mesh of one dimension. Throws ValueError for other meshes.
void parallelize_module(nn::Module& module, const DeviceMesh& mesh, const ParallelPlan& plan,
                        const ParallelizeOptions& options = {});

/// Converts a tensor from one layout to another: returns the part of the caller of a whole tensor,
/// the whole of the parts of all ranks, or parts along another dimension. Parts may differ in size.
/// The gradient of a part is the part of the gradient, that of a whole tensor is whole on every
/// rank. Collective. Throws IndexError if a dimension is out of range.
/// PyTorch: torch.distributed.tensor.DTensor.redistribute.
Tensor redistribute(const Tensor& tensor, const Placement& from, const Placement& to,
                    const Group& group = nullptr);

}  // namespace distributed
}  // namespace taper
