// Differentiable collectives, which return new tensors.
//
// All ranks of a group must call the same functions in the same order, and all of them must
// differentiate the results in the same pass: the gradient of a collective is a collective. Ranks
// (`src`, `dst`) are global ranks. Functions throw the errors of the collectives on tensors, and
// ValueError on a rank outside the group.
#pragma once
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace TAPER_API taper {
namespace distributed {
namespace functional {

/// Returns the reduction of `tensor` over all ranks. The gradient of a sum or average is the same
/// reduction of the gradients; that of a minimum or maximum is the sum of the gradients, divided
/// equally among all elements of all ranks with that value. Other reductions are not differentiable
/// and throw ValueError if the tensor requires gradients.
/// PyTorch: torch.distributed.nn.functional.all_reduce.
Tensor all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::sum, const Group& group = nullptr);
/// Returns `tensor` of the rank `src`. The gradient is the sum of the gradients on `src` and zero
/// on other ranks. PyTorch: torch.distributed.nn.functional.broadcast.
Tensor broadcast(const Tensor& tensor, int src, const Group& group = nullptr);
/// Returns the sum of `tensor` over all ranks on the rank `dst`, and `tensor` on other ranks, whose
/// gradients are ignored. The gradient on all ranks is that of `dst`.
/// PyTorch: torch.distributed.nn.functional.reduce.
Tensor reduce(const Tensor& tensor, int dst, const Group& group = nullptr);

/// Returns the tensors of all ranks in rank order; shapes must be equal. The gradient is the sum of
/// the gradients of all ranks. PyTorch: torch.distributed.nn.functional.all_gather.
std::vector<Tensor> all_gather(const Tensor& tensor, const Group& group = nullptr);
/// Returns `tensor`, which has the same shape on all ranks, of all ranks, concatenated along
/// dimension `gather_dim`. PyTorch: torch.distributed._functional_collectives.all_gather_tensor.
Tensor all_gather_tensor(const Tensor& tensor, IntArg gather_dim = 0, const Group& group = nullptr);
/// Returns `tensor`, which has the same shape on all ranks, of every rank on `dst`, and zeros on
/// other ranks. The gradient is the part of the gradients on `dst`.
/// PyTorch: torch.distributed.nn.functional.gather.
std::vector<Tensor> gather(const Tensor& tensor, int dst, const Group& group = nullptr);
/// Returns tensors[rank] of rank `src`, where `rank` is that of the caller. Other ranks pass
/// tensors of the same shapes. The gradients on `src` are those of all ranks; on other ranks, they
/// are zero. PyTorch: torch.distributed.nn.functional.scatter.
Tensor scatter(const std::vector<Tensor>& tensors, int src, const Group& group = nullptr);

/// Reduces each of the tensors over all ranks by a sum or average and returns the result of
/// tensors[rank], where `rank` is that of the caller. The gradient of a sum is all_gather of the
/// gradients. PyTorch: torch.distributed.nn.functional.reduce_scatter.
Tensor reduce_scatter(const std::vector<Tensor>& tensors, ReduceOp op = ReduceOp::sum,
                      const Group& group = nullptr);
/// Reduces `tensor` over all ranks by a sum or average, splits the result along dimension
/// `scatter_dim` into one equal part per rank, and returns the part of the caller. Throws
/// ShapeError if the size is not divisible. PyTorch:
/// torch.distributed._functional_collectives.reduce_scatter_tensor.
Tensor reduce_scatter_tensor(const Tensor& tensor, ReduceOp op = ReduceOp::sum,
                             IntArg scatter_dim = 0, const Group& group = nullptr);

/// Sends tensor j to rank j and returns the received tensors, which have the shapes of
/// `output_like`. The gradients are sent back by the reverse exchange.
/// PyTorch: torch.distributed.nn.functional.all_to_all.
std::vector<Tensor> all_to_all(const std::vector<Tensor>& tensors,
                               const std::vector<Tensor>& output_like,
                               const Group& group = nullptr);
/// Splits `tensor` along dimension 0, by default into equal parts, sends part j to rank j, and
/// returns the received parts, concatenated. The gradients are sent back by the reverse exchange.
/// PyTorch: torch.distributed._functional_collectives.all_to_all_single.
Tensor all_to_all_single(const Tensor& tensor,
                         const std::vector<std::int64_t>& output_split_sizes = {},
                         const std::vector<std::int64_t>& input_split_sizes = {},
                         const Group& group = nullptr);

}  // namespace functional
}  // namespace distributed
}  // namespace taper
