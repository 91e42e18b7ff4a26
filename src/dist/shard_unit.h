// ShardUnit: the parameters that one call of fully_shard has divided.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dist/sharding.h"
#include "taper/core/hook.h"
#include "taper/dist/fully_shard.h"
#include "taper/dist/work.h"

namespace taper::distributed {

/// A parameter whose rows are divided among the ranks of a group.
struct ShardedParameter {
  /// Member of a module that refers to the parameter.
  struct Location {
    nn::Module* module;
    std::string name;
  };
  std::string name;
  std::vector<Location> locations{};
  Tensor local{};  ///< the parameter itself: a leaf with the rows of the rank
  Tensor full{};   ///< leaf with all rows while they are gathered, otherwise empty
  DType dtype = DType::f32;
  std::shared_ptr<const Sharding> sharding{};
  Tensor accumulated{};  ///< whole gradient of passes that were not reduced
  RemovableHandle hook{};

  const Shape& shape() const { return sharding->shape(); }
  /// Returns the number of elements of the padded rows of a rank.
  std::int64_t padded_numel() const;
};

class ShardUnit;

/// What the units of a network share: a unit joins that of the module that contains it.
struct ShardSchedule {
  /// Units in the order in which they have completed forward, each once.
  std::vector<std::weak_ptr<ShardUnit>> forward_order{};
  std::weak_ptr<ShardUnit> reducing{};  ///< unit with a pending reduction
  std::weak_ptr<void> pass{};           ///< exists as long as the latest backward pass
};

class ShardUnit : public std::enable_shared_from_this<ShardUnit> {
 public:
  /// Pass of the network that requires gathered parameters.
  enum class Pass : std::uint8_t { none, forward, backward };

  ShardUnit(nn::Module& module, const FullyShardOptions& options);
  ~ShardUnit();
  /// Registers the hooks on the gradients of the parameters.
  void attach();
  ShardUnit(const ShardUnit&) = delete;
  ShardUnit& operator=(const ShardUnit&) = delete;

  void before_forward(Values& args);
  void after_forward(Value& result);
  void set_sync(bool sync) { requires_gradient_sync_ = sync; }

  using Units = std::vector<std::weak_ptr<ShardUnit>>;
  /// Sets the units whose parameters are gathered while this unit computes. Without units for
  /// backward, it is the unit that completed forward before this one.
  void set_forward_prefetch(Units units) { forward_prefetch_ = std::move(units); }
  void set_backward_prefetch(Units units) { backward_prefetch_ = std::move(units); }
  const std::shared_ptr<ShardSchedule>& schedule() const { return schedule_; }
  /// Returns the bytes of whole parameters that the rank holds, including those being gathered.
  std::int64_t gathered_bytes() const;
  void join(std::shared_ptr<ShardSchedule> schedule) { schedule_ = std::move(schedule); }

 private:
  /// Pending all_gather of parameters of one dtype.
  struct Gather {
    std::vector<ShardedParameter*> params;
    Tensor all;
    Work work;
  };
  /// Pending reduction of gradients of one dtype.
  struct Reduction {
    std::vector<std::size_t> params;
    DType dtype;
    Tensor mine;
    Work work;
  };

  void shard(ShardedParameter& p) const;
  /// Starts to gather the parameters for a pass.
  void start_unshard(Pass pass);
  void unshard(Pass pass);
  void discard_gathers();
  void prefetch(const Units& units, Pass pass) const;
  Units preceding_unit() const;
  void record_forward();
  void reshard();
  void swap_members(bool full);
  void prepare_backward();
  void on_gradient(std::size_t i);
  void on_pass_end();
  void finish_gradients();
  void accumulate_gradients();
  void start_reduction();
  Reduction reduce_group(const std::vector<std::size_t>& params, DType dtype) const;
  void finish_reduction();
  void finish_group(const Reduction& reduction);
  void add_gradient_rows(const ShardedParameter& p, const Tensor& rows) const;
  void queue_pass_end();
  DType reduce_dtype(const ShardedParameter& p) const;
  int num_replicas() const { return replicate_group_ ? replicate_group_->size() : 1; }

  FullyShardOptions options_;
  Group shard_group_, replicate_group_;  ///< the second is null without replicas
  std::vector<ShardedParameter> params_;
  std::shared_ptr<ShardSchedule> schedule_ = std::make_shared<ShardSchedule>();
  Units forward_prefetch_, backward_prefetch_;
  std::vector<Gather> gathers_;
  Pass gathers_for_ = Pass::none;  ///< the pass for which `gathers_` were started
  std::vector<Reduction> reductions_;
  std::weak_ptr<void> pass_;  ///< exists while the callback at the end of a pass is pending
  bool requires_gradient_sync_ = true, is_gathered_ = false, has_frozen_ = false;
  std::size_t num_trainable_ = 0, num_ready_ = 0;
};

/// Returns the bytes of whole parameters that the rank holds of all units below `module`.
std::int64_t gathered_bytes(const nn::Module& module);

}  // namespace taper::distributed
