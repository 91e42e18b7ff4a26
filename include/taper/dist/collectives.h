// Collectives on tensors.
//
// All ranks of a group must call the same collectives in the same order. Unless `async_op` is set,
// a function returns when its results are stored; the returned handle has then completed. With
// `async_op`, the tensors must not be read or written until `wait` of the handle returns. A rank
// outside the group warns and does nothing. Ranks (`src`, `dst`) are global ranks.
//
// Functions throw ValueError if the default group does not exist, if a rank is not a member of the
// group or if a list does not have one tensor per rank; DTypeError or ShapeError if tensors do not
// match; and the errors of Work::wait and ProcessGroup::start. Collectives are not recorded for
// differentiation; see taper/dist/functional.h.
#pragma once
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/dist/init.h"
#include "taper/dist/process_group.h"

namespace TAPER_API taper {
namespace distributed {

/// Options of collectives without a reduction.
struct CollectiveOptions {
  Group group{};          ///< default: the default group
  bool async_op = false;  ///< returns before the collective has completed
};
/// Options of collectives that reduce.
struct ReduceOptions {
  ReduceOp op = ReduceOp::sum;
  Group group{};          ///< default: the default group
  bool async_op = false;  ///< returns before the collective has completed
};

/// Replaces `tensor`, which has the same shape on all ranks, by the reduction over all ranks.
/// PyTorch: torch.distributed.all_reduce.
Work all_reduce(const Tensor& tensor, const ReduceOptions& options = {});
/// Replaces `tensor` of rank `dst` by the reduction over all ranks. Other tensors are unchanged.
/// PyTorch: torch.distributed.reduce.
Work reduce(const Tensor& tensor, int dst, const ReduceOptions& options = {});
/// Copies `tensor` of rank `src` to `tensor` of all ranks. PyTorch: torch.distributed.broadcast.
Work broadcast(const Tensor& tensor, int src, const CollectiveOptions& options = {});

/// Copies `tensor` of every rank to the tensor of `tensor_list` with the index of the rank. Shapes
/// may differ between ranks. PyTorch: torch.distributed.all_gather.
Work all_gather(const std::vector<Tensor>& tensor_list, const Tensor& tensor,
                const CollectiveOptions& options = {});
/// Concatenates `input_tensor` `(N, ...)` of all P ranks along dimension 0 in `output_tensor`
/// `(P * N, ...)`, or stacks them if it is `(P, N, ...)`.
/// PyTorch: torch.distributed.all_gather_into_tensor.
Work all_gather_into_tensor(const Tensor& output_tensor, const Tensor& input_tensor,
                            const CollectiveOptions& options = {});
/// Copies `tensor` of every rank to `gather_list` of rank `dst`, which is empty on other ranks.
/// Shapes may differ between ranks. PyTorch: torch.distributed.gather.
Work gather(const Tensor& tensor, const std::vector<Tensor>& gather_list, int dst,
            const CollectiveOptions& options = {});
/// Copies the tensors of `scatter_list` of rank `src`, which is empty on other ranks, to `tensor`
/// of the rank with their index. PyTorch: torch.distributed.scatter.
Work scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list, int src,
             const CollectiveOptions& options = {});

/// Reduces each tensor of `input_list` over all ranks and stores the result of input_list[rank] in
/// `output`. Tensors of a list may differ in shape. PyTorch:
/// torch.distributed.reduce_scatter.
Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& input_list,
                    const ReduceOptions& options = {});
/// Reduces `input` `(world * N, ...)` over all ranks and stores rows `rank * N` to
/// `(rank + 1) * N - 1` in `output` `(N, ...)`. PyTorch: torch.distributed.reduce_scatter_tensor.
Work reduce_scatter_tensor(const Tensor& output, const Tensor& input,
                           const ReduceOptions& options = {});

/// Copies tensor j of `input_tensor_list` of rank i to tensor i of `output_tensor_list` of rank j.
/// PyTorch: torch.distributed.all_to_all.
Work all_to_all(const std::vector<Tensor>& output_tensor_list,
                const std::vector<Tensor>& input_tensor_list,
                const CollectiveOptions& options = {});
/// Options of all_to_all_single.
struct AllToAllOptions {
  /// Number of rows from, and to, each rank; default: equal numbers.
  std::vector<std::int64_t> output_split_sizes{}, input_split_sizes{};
  Group group{};          ///< default: the default group
  bool async_op = false;  ///< returns before the collective has completed
};
/// Splits `input` along dimension 0, sends part j to rank j, and concatenates the received parts in
/// `output`. PyTorch: torch.distributed.all_to_all_single.
Work all_to_all_single(const Tensor& output, const Tensor& input,
                       const AllToAllOptions& options = {});

/// Returns when all ranks of the group have called it. PyTorch: torch.distributed.barrier.
Work barrier(const CollectiveOptions& options = {});
/// Options of monitored_barrier.
struct MonitoredBarrierOptions {
  Group group{};                     ///< default: the default group
  std::optional<Timeout> timeout{};  ///< default: that of the group
};
/// As barrier, with a timeout. The message of the DistributedError lists all ranks that have not
/// called it. PyTorch: torch.distributed.monitored_barrier.
void monitored_barrier(const MonitoredBarrierOptions& options = {});

}  // namespace distributed
}  // namespace taper
