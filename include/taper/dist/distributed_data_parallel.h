// DistributedDataParallel: averages the gradients of a module over ranks during backward.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"
#include "taper/dist/process_group.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace distributed {

/// Gradients of several parameters, which are reduced together.
/// PyTorch: torch.distributed.GradBucket.
class GradBucket {
 public:
  GradBucket(std::size_t index, bool is_last, Tensor buffer, std::vector<Tensor> gradients,
             std::vector<Tensor> parameters)
      : index_(index),
        is_last_(is_last),
        buffer_(std::move(buffer)),
        gradients_(std::move(gradients)),
        parameters_(std::move(parameters)) {}
  /// Returns the position in the order of reduction.
  std::size_t index() const { return index_; }
  /// Returns true for the bucket that is reduced last.
  bool is_last() const { return is_last_; }
  /// Returns the flattened gradients.
  const Tensor& buffer() const { return buffer_; }
  /// Returns the gradients, which are views of the buffer.
  const std::vector<Tensor>& gradients() const { return gradients_; }
  /// Returns the parameters of the gradients.
  const std::vector<Tensor>& parameters() const { return parameters_; }

 private:
  std::size_t index_;
  bool is_last_;
  Tensor buffer_;
  std::vector<Tensor> gradients_, parameters_;
};

/// Communication hook: starts the reduction of a bucket. When the returned work has completed, the
/// buffer of the bucket contains the averaged gradients.
using CommHook = SharedFunction<Work(const Group& group, const GradBucket& bucket)>;

/// Communication hooks. PyTorch: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.
namespace default_hooks {
/// Divides by the number of ranks and sums.
Work allreduce_hook(const Group& group, const GradBucket& bucket);
/// Rounds to float16 or bfloat16, divides by the number of ranks, sums, and converts back.
Work fp16_compress_hook(const Group& group, const GradBucket& bucket);
Work bf16_compress_hook(const Group& group, const GradBucket& bucket);
}  // namespace default_hooks

/// Options of DistributedDataParallel.
struct DistributedDataParallelOptions {
  Group process_group{};  ///< default: the default group
  /// Capacity of a bucket in MiB. Default: 1 for the first bucket of each dtype, 25 for others.
  /// Until the buckets are rebuilt, the default is one bucket per dtype, unless
  /// `find_unused_parameters` is set without `static_graph`.
  std::optional<double> bucket_cap_mb{};
  /// Accepts passes that do not compute the gradients of all parameters. Parameters that no rank
  /// used keep their gradient; those that some ranks used receive the mean, to which the others
  /// contribute zeros.
  bool find_unused_parameters = false;
  /// Gradients are views of the buckets, which saves a copy of all gradients. A gradient that is
  /// kept after zero_grad keeps its values: the bucket is replaced. Default in PyTorch: false.
  bool gradient_as_bucket_view = true;
  /// Declares that each pass uses the same parameters in the same way. Unused parameters are found
  /// in the first pass.
  bool static_graph = false;
  /// Compares the parameters of all ranks and copies those of rank 0, with the buffers, to the
  /// other ranks at construction.
  bool init_sync = true;
  /// Copies the buffers of rank 0 to the other ranks before each forward pass in training mode that
  /// records gradients, unless the preceding one ran under `no_sync`.
  bool forward_sync_buffers = true;
};

class ZeroRedundancyOptimizer;

/// Options of DistributedDataParallel::join.
struct JoinOptions {
  /// Divides gradients by the number of ranks; if false, by the number of ranks with inputs left.
  bool divide_by_initial_world_size = true;
  bool enable = true;  ///< false: runs the function only
  /// Throws on all ranks as soon as one has no inputs left.
  bool throw_on_early_termination = false;
  /// Optimizer of the parameters whose steps, and calls of `clip_grad_norm_`, the function
  /// contains. Ranks without inputs left take part in them: they update their parameters with the
  /// gradients and options, such as learning rates, of the others. PyTorch:
  /// torch.distributed.algorithms.join.Join([ddp, optimizer]).
  ZeroRedundancyOptimizer* optimizer = nullptr;
};

/// Trains a module on several ranks: each computes gradients on its own batch, which are averaged
/// during the backward pass, so that all ranks perform the same optimizer steps.
///
///     MyNet net;
///     distributed::DistributedDataParallel ddp(net);
///     optim::SGD opt(net.parameters(), {.lr = 0.1});
///     for (auto& [x, y] : loader) {
///       opt.zero_grad();
///       F::cross_entropy(net(x), y).backward();
///       opt.step();
///     }
///
/// The object refers to the module, which must outlive it. Names, state dict and calls of the
/// module are unchanged. It registers a forward pre-hook on the module and hooks on its parameters,
/// which the destructor removes. Parameters that are added, or whose `requires_grad` changes, after
/// the construction are not supported. The constructor, backward passes, `join` and, if the module
/// has buffers, forward passes in training mode that record gradients are collective: all ranks
/// execute them in the same order. One rank may evaluate the module alone. PyTorch:
/// torch.nn.parallel.DistributedDataParallel.
///
/// Gradients are copied into buckets of one dtype. As soon as all gradients of a bucket have
/// arrived, and the buckets before it have started, its reduction starts, while the backward pass
/// continues. The buckets are rebuilt once, in the order in which the gradients of rank 0 became
/// ready: by the second pass, with `static_graph` by the third, and not with
/// `find_unused_parameters` alone.
class DistributedDataParallel {
 public:
  /// Throws DistributedError on all ranks if parameters differ in number, name, shape or dtype,
  /// naming the first difference, and ValueError if no parameter requires gradients, or if one is
  /// divided among ranks of the group.
  explicit DistributedDataParallel(nn::Module& module,
                                   const DistributedDataParallelOptions& options = {});
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;
  ~DistributedDataParallel();

  /// Returns the module.
  nn::Module& module() const;
  /// Calls the module, for modules that map one tensor to one tensor.
  Tensor operator()(const Tensor& x) const { return module()(x); }

  /// Returns the state dict of the module with the prefix `module.`, as PyTorch's wrapper saves it,
  /// and loads such a state dict. PyTorch: torch.nn.parallel.DistributedDataParallel.state_dict.
  Value state_dict() const;
  nn::IncompatibleKeys load_state_dict(const Value& state_dict);
  template <std::convertible_to<std::string_view> Path>
  void load_state_dict(const Path&) = delete;  // a file is read by load(path)

  /// Replaces the reduction of buckets. Throws RuntimeError if a hook is registered.
  /// PyTorch: torch.nn.parallel.DistributedDataParallel.register_comm_hook.
  void register_comm_hook(CommHook hook);

  /// Scope in which backward passes accumulate gradients locally: `auto guard = ddp.no_sync();`.
  /// The first pass after it reduces all accumulated gradients. The forward pass must be in the
  /// scope. PyTorch: torch.nn.parallel.DistributedDataParallel.no_sync.
  class NoSync {
   public:
    explicit NoSync(DistributedDataParallel& ddp);
    ~NoSync();
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;

   private:
    DistributedDataParallel& ddp_;
    bool before_;
  };
  [[nodiscard]] NoSync no_sync() { return NoSync(*this); }

  /// Runs `f`, in which ranks may perform different numbers of steps. A rank that has returned from
  /// `f` contributes zeros to the collectives of the others; at the end all ranks receive the
  /// module of the largest rank among those that returned last. Throws RuntimeError on all ranks if
  /// `throw_on_early_termination` is set and their numbers of steps differ, ValueError if the
  /// optimizer has a different process group.
  /// PyTorch: torch.nn.parallel.DistributedDataParallel.join.
  void join(const SharedFunction<void()>& f, const JoinOptions& options = {});

 private:
  friend class ZeroRedundancyOptimizer;
  /// Reduces each gradient to the rank `owner_of(parameter)` of `group`, -1 for a parameter that
  /// the caller does not know.
  void shard_gradients(const Group& group, const SharedFunction<int(const Tensor&)>& owner_of);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace distributed
}  // namespace taper
