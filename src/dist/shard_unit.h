// ShardUnit: the parameters that one call of fully_shard has divided.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dist/sharding.h"
#include "taper/core/hook.h"
#include "taper/dist/fully_shard.h"

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

class ShardUnit : public std::enable_shared_from_this<ShardUnit> {
 public:
  ShardUnit(nn::Module& module, const FullyShardOptions& options);
  ~ShardUnit();
  /// Registers the hooks on the gradients of the parameters.
  void attach();
  ShardUnit(const ShardUnit&) = delete;
  ShardUnit& operator=(const ShardUnit&) = delete;

  void before_forward(Values& args);
  void after_forward(Value& result);
  void set_sync(bool sync) { requires_gradient_sync_ = sync; }

 private:
  void shard(ShardedParameter& p) const;
  void unshard();
  void reshard();
  void swap_members(bool full);
  void prepare_backward();
  void on_gradient(std::size_t i);
  void on_pass_end();
  void finish_gradients();
  void accumulate_gradients();
  void reduce_gradients();
  void reduce_group(const std::vector<std::size_t>& params, DType dtype);
  void add_gradient_rows(const ShardedParameter& p, const Tensor& rows) const;
  void queue_pass_end();
  DType reduce_dtype(const ShardedParameter& p) const;

  FullyShardOptions options_;
  Group shard_group_, replicate_group_;  ///< the second is null without replicas
  std::vector<ShardedParameter> params_;
  bool requires_gradient_sync_ = true, is_gathered_ = false, has_callback_ = false,
       has_frozen_ = false;
  std::size_t num_trainable_ = 0, num_ready_ = 0;
};

}  // namespace taper::distributed
