// ZeroRedundancyOptimizer: an optimizer whose state is divided among ranks.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/ignorable.h"
#include "taper/core/shared_function.h"
#include "taper/dist/distributed_data_parallel.h"
#include "taper/dist/process_group.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace distributed {

/// Function that creates the optimizer of the parameters of one rank. The groups may be empty.
using OptimizerFactory = SharedFunction<std::unique_ptr<optim::Optimizer>(optim::Params params)>;

/// Options of ZeroRedundancyOptimizer.
struct ZeroRedundancyOptions {
  Group process_group{};  ///< default: the default group
  /// Stores the parameters of each rank contiguously, which saves a copy when they are sent. Their
  /// `data` is replaced at construction.
  bool parameters_as_bucket_view = false;
};

/// Optimizer that updates each parameter on one rank, which then sends it to the others. Each rank
/// therefore stores only the state of its own parameters. Ranks must have equal gradients, as with
/// DistributedDataParallel. `step` and `consolidate_state_dict` are collective.
/// Algorithm: Rajbhandari et al., 2020, "ZeRO: Memory Optimizations Toward Training Trillion
/// Parameter Models", stage 1, and stage 2 after `shard_gradients`. PyTorch:
/// torch.distributed.optim.ZeroRedundancyOptimizer.
///
///     distributed::ZeroRedundancyOptimizer opt(net.parameters(), [](optim::Params params) {
///       return std::make_unique<optim::AdamW>(std::move(params), optim::AdamWOptions{.lr = 3e-4});
///     });
///
/// Parameters are assigned group by group, in the order of decreasing size, to the rank with the
/// smallest number of elements so far. Groups that are added later do not move earlier parameters.
class ZeroRedundancyOptimizer : public optim::Optimizer {
 public:
  /// Throws ValueError if there are no parameters or one is divided among ranks of the group, and
  /// the errors of the factory.
  ZeroRedundancyOptimizer(optim::Params params, const OptimizerFactory& factory,
                          const ZeroRedundancyOptions& options = {});
  /// Creates the optimizer of class `optimizer_class` ("AdamW"); see optim::make.
  ZeroRedundancyOptimizer(optim::Params params, std::string_view optimizer_class,
                          const Value& optimizer_options = {},
                          const ZeroRedundancyOptions& options = {});
  ~ZeroRedundancyOptimizer() override;

  /// Collects the state of all ranks on the global rank `to`. Afterward, `state_dict` returns the
  /// state dict of the unsharded optimizer there; on a rank without collected state, it throws
  /// RuntimeError. `load_state_dict` accepts such a dict on every rank, regardless of the number
  /// of ranks that wrote it, and retains only the state of the rank's parameters. PyTorch:
  /// torch.distributed.optim.ZeroRedundancyOptimizer.consolidate_state_dict.
  void consolidate_state_dict(int to = 0);

  /// Divides the gradients of `ddp` like the state, ZeRO's stage 2: each averaged gradient becomes
  /// that of its parameter on the rank that updates the parameter; on other ranks the parameter has
  /// no gradient after backward. Half of the bytes of an all-reduce are sent. A gradient is stored
  /// elsewhere only until its bucket has been reduced; a rank that is ahead of others waits rather
  /// than fill more than two buckets. Smaller values of `bucket_cap_mb` of `ddp` therefore save
  /// memory. Gradients must be zeroed before each pass that reduces them, and accumulated
  /// under `no_sync`; otherwise backward throws RuntimeError. Called on all ranks before the first
  /// forward pass. Throws ValueError if a parameter of `ddp` is not one of the optimizer or the
  /// process groups differ, RuntimeError if `ddp` has a communication hook or has run.
  void shard_gradients(DistributedDataParallel& ddp);
  /// Returns true after `shard_gradients`.
  bool has_sharded_gradients() const;
  /// Scales gradients so that the norm of those of all parameters is at most `max_norm`. Each rank
  /// scales the gradients of the parameters that it updates. Returns the norm. Collective.
  /// PyTorch: torch.nn.utils.clip_grad_norm_.
  Ignorable<Tensor> clip_grad_norm_(double max_norm, const nn::utils::ClipOptions& options = {});

  /// Returns the indices of the parameters of each rank and group, in the order of its optimizer:
  /// `partition()[rank][group]`. Parameters are numbered consecutively over all groups.
  std::vector<std::vector<std::vector<std::size_t>>> partition();
  /// Returns the optimizer of the parameters of this rank.
  /// PyTorch: torch.distributed.optim.ZeroRedundancyOptimizer.optim.
  optim::Optimizer& local_optimizer();

  std::string_view type_name() const override { return "ZeroRedundancyOptimizer"; }

 protected:
  Tensor run_step(const SharedFunction<Tensor()>* closure) override;
  void update(optim::ParamGroup&) override {}  // steps are performed by the local optimizer

 private:
  struct Prepared;
  ZeroRedundancyOptimizer(Prepared prepared, const ZeroRedundancyOptions& options);
  /// Moves the state of the rank's parameters, loaded by the base class, to the local optimizer.
  void load_local_state();
  friend class TrainerExchange;
  friend class DistributedDataParallel;
  /// Function that announces a call to the ranks that have left the function of `join`. Returns the
  /// rank of the group whose values they use; -1 if there are none.
  using Announce = SharedFunction<int(const Value& call)>;
  const Group& group() const;
  /// Sets the function for the duration of `join`.
  void set_announce(Announce announce);
  /// Announces a call and provides the gradients.
  void announce(const char* function, const Value& arguments);
  void announce_step();
  /// Takes part in a call that rank `source` of the group has announced.
  void repeat_call(const Value& call, int source);
  /// Copies the gradients of rank `source` to the ranks that repeat its call.
  void share_gradients(const Value& has_gradient, int source, bool receives);
  /// Returns the state dict of the unsharded optimizer on the first rank of the group, None on
  /// others. Collective.
  Value gather_state_dict();
  /// Returns such a state dict with the state of the rank's parameters only.
  Value state_dict_of_rank();
  /// Returns the norm of order `p` of the gradients that all ranks use. Collective.
  Tensor norm_of_gradients(double p);
  void discard_collected_state();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace distributed
}  // namespace taper
