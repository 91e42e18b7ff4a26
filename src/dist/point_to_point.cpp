#include "taper/dist/point_to_point.h"

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/tensor_buffers.h"

namespace taper::distributed {
namespace {

int peer_rank(std::string_view call, std::string_view name, const ProcessGroup& group, int peer) {
  const int rank = checked_group_rank(call, name, group, peer);
  if (rank == group.rank())
    fail<ValueError>("{}: {} {} is the rank of the caller", call, name, peer);
  return rank;
}

}  // namespace

Work isend(const Tensor& tensor, int dst, const MessageOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, RawCall::Kind::send)) return {};
  RawCall call;
  call.kind = RawCall::Kind::send;
  call.root = peer_rank("send", "dst", *group, dst);
  const Tensor in = contiguous_input(tensor);
  call.send = readable_elements(in), call.count = in.numel(), call.dtype = in.dtype();
  call.tag = options.tag;
  call.detail = in.shape().str() + " to rank " + std::to_string(dst);
  call.tensors = {in};
  return group->start(std::move(call));
}

Work irecv(const Tensor& tensor, std::optional<int> src, const MessageOptions& options) {
  const Group group = resolve_group(options.group);
  if (is_outsider(*group, RawCall::Kind::receive)) return {};
  RawCall call;
  call.kind = RawCall::Kind::receive;
  call.root = src ? peer_rank("recv", "src", *group, *src) : -1;
  if (group->size() == 1) fail<ValueError>("recv: the group has no other rank");
  const OutputBuffer out(tensor, false);
  call.receive = out.elements(), call.count = tensor.numel(), call.dtype = tensor.dtype();
  call.tag = options.tag;
  call.detail = tensor.shape().str() + " from " +
                (src ? "rank " + std::to_string(*src) : std::string("any rank"));
  call.tensors = {out.tensor()};
  return out.finish(group->start(std::move(call)));
}

void send(const Tensor& tensor, int dst, const MessageOptions& options) {
  isend(tensor, dst, options).wait();
}

int recv(const Tensor& tensor, std::optional<int> src, const MessageOptions& options) {
  const Work work = irecv(tensor, src, options);
  work.wait();
  return work.source_rank();
}

std::vector<Work> batch_isend_irecv(const std::vector<P2POp>& p2p_op_list) {
  if (p2p_op_list.empty()) fail<ValueError>("batch_isend_irecv: the list of messages is empty");
  std::vector<Work> works;
  for (const P2POp& op : p2p_op_list)
    works.push_back(op.kind == P2POp::Kind::isend ? isend(op.tensor, op.peer, op.options)
                                                  : irecv(op.tensor, op.peer, op.options));
  return works;
}

}  // namespace taper::distributed
