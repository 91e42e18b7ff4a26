// Tensors as the buffers of collectives.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "taper/core/tensor.h"
#include "taper/dist/process_group.h"

namespace taper::distributed {

/// Return the elements of a contiguous tensor.
const void* readable_elements(const Tensor& t);
void* writable_elements(const Tensor& t);

/// Returns a contiguous tensor with the elements of `t`, without its history; possibly `t` itself.
Tensor contiguous_input(const Tensor& t);
/// Returns the elements of the tensors, flattened and concatenated. Throws DTypeError if their
/// dtypes differ.
Tensor concatenate(std::string_view call, std::span<const Tensor> tensors);

/// Contiguous memory for results. It is that of the tensor if possible; otherwise `finish` copies
/// it to the tensor.
class OutputBuffer {
 public:
  /// Buffer whose contents become the elements of `t`. If `reads` is true, it initially contains
  /// them.
  OutputBuffer(const Tensor& t, bool reads);
  /// Buffer for the concatenated elements of the tensors.
  OutputBuffer(std::string_view call, std::span<const Tensor> tensors);

  const Tensor& tensor() const { return buffer_; }
  void* elements() const { return writable_elements(buffer_); }
  /// Adds the copy to the targets to the functions of `work`, if one is required.
  Work finish(const Work& work) const;

 private:
  std::vector<Tensor> targets_;
  Tensor buffer_;
};

std::vector<std::int64_t> numels(std::span<const Tensor> tensors);
/// Returns the shapes for messages: "[2, 3] [4]".
std::string shapes_text(std::span<const Tensor> tensors);

/// Throws unless `list` has `count` tensors of the dtype of `like`.
void check_list(std::string_view call, std::string_view name, std::span<const Tensor> list,
                int count, const Tensor& like);
/// Returns the rank in the group of a global rank. Throws ValueError if it is not a member.
int checked_group_rank(std::string_view call, std::string_view name, const ProcessGroup& group,
                       int global_rank);
/// Warns and returns true if the caller is not a member.
bool is_outsider(ProcessGroup& group, RawCall::Kind kind);
/// Waits unless `async_op` is set.
Work finish_call(const Work& work, bool async_op);

}  // namespace taper::distributed
