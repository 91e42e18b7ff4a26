// Messages between two ranks.
#pragma once
#include <optional>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace TAPER_API taper {
namespace distributed {

/// Options of messages. Messages with the same ranks and tag arrive in the order in which they were
/// sent.
struct MessageOptions {
  Group group{};  ///< default: the default group
  int tag = 0;    ///< matches sends and receives
};
/// Sends `tensor` to the global rank `dst`. Returns after the message was received. Throws
/// ValueError if `dst` is the caller or not a member, and the errors of Work::wait. PyTorch:
/// torch.distributed.send.
void send(const Tensor& tensor, int dst, const MessageOptions& options = {});
/// Receives a message in `tensor`, which has the shape and dtype of the tensor that was sent, from
/// the global rank `src`, by default from any rank. Returns the rank that sent it. Throws
/// ValueError if `src` is the caller or not a member, and the errors of Work::wait. PyTorch:
/// torch.distributed.recv.
int recv(const Tensor& tensor, std::optional<int> src = {}, const MessageOptions& options = {});
/// As send and recv, without waiting. The tensor must not be accessed until `wait` of the handle
/// returns. PyTorch: torch.distributed.isend, torch.distributed.irecv.
Work isend(const Tensor& tensor, int dst, const MessageOptions& options = {});
Work irecv(const Tensor& tensor, std::optional<int> src = {}, const MessageOptions& options = {});

/// Message of batch_isend_irecv. PyTorch: torch.distributed.P2POp.
struct P2POp {
  enum class Kind : std::uint8_t { isend, irecv };
  Kind kind;
  Tensor tensor;
  int peer;  ///< global rank
  MessageOptions options{};
};
/// Starts several messages, in any order, and returns their handles. Throws ValueError if the list
/// is empty. PyTorch: torch.distributed.batch_isend_irecv.
std::vector<Work> batch_isend_irecv(const std::vector<P2POp>& p2p_op_list);

}  // namespace distributed
}  // namespace taper
