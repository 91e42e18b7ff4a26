#include "dist/tensor_buffers.h"

#include <algorithm>

#include "core/check.h"
#include "core/dtype_table.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::distributed {

const void* readable_elements(const Tensor& t) {
  return visit_dtype(t.dtype(), [&]<class T>(T) -> const void* { return t.const_data_ptr<T>(); });
}

void* writable_elements(const Tensor& t) {
  return visit_dtype(t.dtype(), [&]<class T>(T) -> void* { return t.mutable_data_ptr<T>(); });
}

Tensor contiguous_input(const Tensor& t) { return t.detach().contiguous(); }

Tensor concatenate(std::string_view call, std::span<const Tensor> tensors) {
  const NoGrad no_grad;
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) {
    if (t.dtype() != tensors[0].dtype())
      fail<DTypeError>("{}: tensors of one list must have the same dtype, got {} and {}", call,
                       tensors[0].dtype(), t.dtype());
    parts.push_back(t.detach().reshape({-1}));
  }
  return cat(parts);
}

OutputBuffer::OutputBuffer(const Tensor& t, bool reads) {
  // A write through a pointer to a parameter would end the caching of its prepacked forms.
  if (t.is_contiguous() && !t.requires_grad()) {
    buffer_ = t;
    return;
  }
  const NoGrad no_grad;
  targets_.push_back(t);
  buffer_ = empty(t.shape(), {.dtype = t.dtype(), .device = t.device()});
  if (reads) buffer_.copy_(t);
}

OutputBuffer::OutputBuffer(std::string_view call, std::span<const Tensor> tensors)
    : targets_(tensors.begin(), tensors.end()) {
  std::int64_t total = 0;
  for (const Tensor& t : tensors) {
    if (t.dtype() != tensors[0].dtype())
      fail<DTypeError>("{}: tensors of one list must have the same dtype, got {} and {}", call,
                       tensors[0].dtype(), t.dtype());
    total += t.numel();
  }
  buffer_ = empty(total, {.dtype = tensors[0].dtype(), .device = tensors[0].device()});
}

Work OutputBuffer::finish(const Work& work) const {
  if (targets_.empty()) return work;
  return work.then([targets = targets_, buffer = buffer_] {
    const NoGrad no_grad;
    const Tensor flat = buffer.view({-1});
    std::int64_t offset = 0;
    for (const Tensor& target : targets) {
      target.copy_(flat.narrow(0, offset, target.numel()).view(target.shape()));
      offset += target.numel();
    }
  });
}

std::vector<std::int64_t> numels(std::span<const Tensor> tensors) {
  std::vector<std::int64_t> counts;
  for (const Tensor& t : tensors) counts.push_back(t.numel());
  return counts;
}

std::string shapes_text(std::span<const Tensor> tensors) {
  std::string text;
  for (const Tensor& t : tensors) text += (text.empty() ? "" : " ") + t.shape().str();
  return text;
}

void check_list(std::string_view call, std::string_view name, std::span<const Tensor> list,
                int count, const Tensor& like) {
  if (list.size() != static_cast<std::size_t>(count))
    fail<ValueError>("{}: {} must have one tensor per rank: got {} tensors, expected {}", call,
                     name, list.size(), count);
  for (const Tensor& t : list)
    if (t.dtype() != like.dtype())
      fail<DTypeError>("{}: tensors must have the same dtype, got {} and {}", call, like.dtype(),
                       t.dtype());
}

int checked_group_rank(std::string_view call, std::string_view name, const ProcessGroup& group,
                       int global_rank) {
  const auto found = std::find(group.ranks().begin(), group.ranks().end(), global_rank);
  if (found == group.ranks().end())
    fail<ValueError>("{}: {} {} is not a rank of the group of {} ranks", call, name, global_rank,
                     group.ranks().size());
  return static_cast<int>(found - group.ranks().begin());
}

bool is_outsider(ProcessGroup& group, RawCall::Kind kind) {
  if (group.rank() >= 0) return false;
  RawCall call;
  call.kind = kind;
  (void)group.start(std::move(call));
  return true;
}

Work finish_call(const Work& work, bool async_op) {
  if (!async_op) work.wait();
  return work;
}

}  // namespace taper::distributed
