// Reducer: collects the gradients of a backward pass in buckets and reduces them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "dist/bucket_assignment.h"
#include "taper/core/hook.h"
#include "taper/dist/distributed_data_parallel.h"

namespace taper::distributed {

class Reducer {
 public:
  Reducer(std::vector<std::string> names, std::vector<Tensor> params, Group group,
          const DistributedDataParallelOptions& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// Prepares for the backward pass that follows a forward pass, in which gradients are reduced.
  /// Throws RuntimeError if the previous pass did not compute all gradients.
  void prepare_for_backward();
  void set_hook(CommHook hook);
  /// Reduces the gradient of each parameter to one rank of the group, `owners[i]`, where it becomes
  /// the gradient of the parameter; other ranks have none after a pass. Buckets are allocated when
  /// their first gradient is ready, and released on other ranks than the owner when their reduction
  /// has completed. Throws RuntimeError unless it is called before the first forward pass.
  void shard_gradients(std::vector<int> owners);
  /// Returns the parameters in the order of their numbers.
  const std::vector<Tensor>& params() const { return params_; }
  const std::string& name_of(std::size_t param) const { return names_[param]; }
  bool has_hook() const { return static_cast<bool>(hook_); }
  /// Sets the divisor of averages; default: the number of ranks.
  void set_divisor(std::optional<int> divisor) { divisor_ = divisor; }
  /// Contributes zeros to the reductions of a backward pass of the other ranks.
  void shadow_backward();

 private:
  struct Bucket {
    std::vector<std::size_t> params;
    Tensor buffer;
    std::vector<Tensor> views;
    std::size_t pending = 0;
    int owner = -1;  ///< -1: all ranks receive the result
    Work work{};
  };
  /// Gradient of the last pass on the owner.
  struct Reduced {
    Tensor grad{};
    std::uint32_t version = 0;
  };
  struct Location {
    std::size_t bucket, index;
  };

  /// Creates the first buckets and registers post-accumulate-grad hooks on the parameters.
  void register_hooks();
  void on_gradient(std::size_t param);
  void on_pass_end();
  void mark_ready(std::size_t param);
  void store_in_bucket(std::size_t param, const Tensor& view);
  void move_to_bucket(std::size_t param, const Tensor& view);
  Tensor new_buffer(const Bucket& bucket) const;
  void allocate(Bucket& bucket);
  /// Returns true if the caller has kept gradients of the last pass, which are views of the bucket,
  /// beyond zero_grad.
  bool is_kept(const Bucket& bucket) const;
  /// Releases the buckets of other owners whose reduction has completed; waits if too many are
  /// pending.
  void release_completed();
  void finish_owned(Bucket& bucket);
  void store_reduced(std::size_t param, const Tensor& view);
  /// Replaces the gradients of the parameters of this rank by those of a pass of other ranks.
  void store_shadowed(const Bucket& bucket, const Tensor& buffer);
  static void release(Bucket& bucket);
  void check_not_accumulated(std::size_t param);
  /// Returns the assignment before the order of arrival is known: buckets of consecutive
  /// parameters, the last parameters first.
  BucketAssignment first_assignment() const;
  void launch_ready_buckets();
  void launch(std::size_t index);
  Work reduce(std::size_t index, const Tensor& buffer);
  /// Finds the parameters that no rank has used, if passes need not use all. Collective.
  void reduce_used(const std::vector<bool>& used);
  void finish_pass();
  void write_back(std::size_t param, const Tensor& view);
  void start_pass();
  /// Exchanges the order in which the gradients of rank 0 arrived in this pass. Collective.
  void agree_on_order();
  /// Rebuilds the buckets in that order, once, by the next pass: its caller has then released the
  /// gradients in the old buckets.
  void rebuild_buckets();
  void set_buckets(const BucketAssignment& assignment);
  bool shards_gradients() const { return !owners_.empty(); }
  bool searches_unused() const;
  bool records_order() const;
  int divisor() const;
  std::string names_of(const std::vector<std::size_t>& params) const;

  std::vector<std::string> names_;
  std::vector<Tensor> params_;
  Group group_;
  DistributedDataParallelOptions options_;
  CommHook hook_;
  std::vector<RemovableHandle> handles_;
  std::vector<Bucket> buckets_;
  std::vector<Location> locations_;        ///< per parameter
  std::vector<std::size_t> order_;         ///< in which the gradients of this pass became ready
  std::vector<std::size_t> agreed_order_;  ///< of rank 0; empty after the buckets were rebuilt
  std::optional<int> divisor_;
  std::vector<int> owners_;        ///< per parameter; empty: all ranks receive all gradients
  std::vector<Reduced> reduced_;   ///< per parameter, if the rank is its owner
  std::size_t first_pending_ = 0;  ///< first bucket that release_completed has not released

  std::vector<bool> is_ready_, is_used_;  ///< per parameter, in this pass
  std::vector<std::size_t> hook_calls_;   ///< per parameter, in this pass
  /// Of a static graph, per parameter: number of hook calls in the first pass, and whether no rank
  /// used the parameter.
  std::vector<std::size_t> expected_calls_;
  std::vector<bool> is_unused_everywhere_;
  std::size_t next_bucket_ = 0;
  std::int64_t finished_passes_ = 0;
  bool expects_gradients_ = false;  ///< a forward pass was prepared
  bool is_in_pass_ = false;         ///< gradients have arrived and the pass is not finished
  bool has_callback_ = false;       ///< on_pass_end will run
  bool has_agreed_ = false;
};

}  // namespace taper::distributed
