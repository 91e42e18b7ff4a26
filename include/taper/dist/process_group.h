// ProcessGroup: ranks that communicate, and the collectives on raw buffers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/tensor.h"
#include "taper/dist/work.h"

namespace TAPER_API taper {
namespace distributed {

/// Reduction of the elements of all ranks. `avg` divides the sum by the number of ranks and is
/// defined for floating-point types only; `band`, `bor` and `bxor` are bitwise and not defined
/// for these. Sums and products of integers wrap; a sum of bools is their disjunction.
/// PyTorch: torch.distributed.ReduceOp.
enum class ReduceOp : std::uint8_t { sum, avg, product, min, max, band, bor, bxor };

/// Returns the name of an operation: "sum".
std::string_view name_of(ReduceOp op);

/// Arguments of a collective on raw buffers. Ranks and `counts` are those of the group; buffers of
/// several ranks are concatenated in rank order. See the functions of taper/dist/c_api.h.
struct RawCall {
  enum class Kind : std::uint8_t {
    all_reduce,      ///< `receive`, in place
    reduce,          ///< `receive` of `root`, in place; those of other ranks are unchanged
    reduce_scatter,  ///< `send` to `receive`, by `send_counts`
    broadcast,       ///< copies `receive` of `root` to that of all ranks
    all_gather,      ///< `send` to `receive`, by `receive_counts`
    gather,          ///< as all_gather, at `root` only
    scatter,         ///< `send` of `root` to `receive`, by `send_counts`
    all_to_all,      ///< `send` to `receive`, by both counts
    barrier,
    send,    ///< `send` to rank `root` with `tag`
    receive  ///< `receive` from rank `root` with `tag`; -1: from any rank
  };
  Kind kind = Kind::barrier;
  const void* send = nullptr;
  void* receive = nullptr;
  std::int64_t count = 0;  ///< number of elements, for calls without counts per rank
  std::vector<std::int64_t> send_counts{}, receive_counts{};
  DType dtype = DType::u8;
  ReduceOp op = ReduceOp::sum;
  int root = -1;
  int tag = 0;
  /// Shapes, or the names of parameters, for messages. Debug mode compares them between ranks,
  /// except those of calls to which each rank passes its own counts, which it compares instead.
  std::string detail{};
  /// Tensors that contain the buffers, which are retained until the call has completed.
  std::vector<Tensor> tensors{};
};

/// Options of a group.
struct GroupOptions {
  /// Time after which a pending collective fails. PyTorch's default.
  Timeout timeout = std::chrono::minutes(30);
  /// Reductions combine the ranks in ascending order, and 16-bit floats in float32. Otherwise the
  /// order is that of Gloo's ring algorithm, which does not depend on timing either.
  bool deterministic = false;
};

/// Ranks that communicate with each other. Obtained from init_process_group and new_group.
/// PyTorch: torch.distributed.ProcessGroup.
class ProcessGroup : public std::enable_shared_from_this<ProcessGroup> {
 public:
  virtual ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// Returns the rank of the caller in the group; -1 if it is not a member.
  int rank() const { return rank_; }
  /// Returns the number of ranks; -1 if the caller is not a member.
  int size() const { return rank_ < 0 ? -1 : static_cast<int>(ranks_.size()); }
  /// Returns the global ranks of the members in ascending order.
  const std::vector<int>& ranks() const { return ranks_; }
  const GroupOptions& options() const { return options_; }

  /// Starts a collective on raw buffers, which must be valid until it has completed. Ranks must
  /// start the same collectives in the same order. With one rank it completes at once. Throws
  /// DistributedError if the group was aborted or, in debug mode, if the calls of the ranks differ;
  /// ValueError or DTypeError for an operation that is not defined for the element type.
  virtual Work start(RawCall call) = 0;
  /// Fails all pending and future collectives of the group on all ranks, with the reason.
  virtual void abort(const std::string& reason) = 0;

 protected:
  ProcessGroup(int rank, std::vector<int> ranks, const GroupOptions& options)
      : rank_(rank), ranks_(std::move(ranks)), options_(options) {}

 private:
  int rank_;
  std::vector<int> ranks_;
  GroupOptions options_;
};

/// Group argument of collectives; null is the default group.
using Group = std::shared_ptr<ProcessGroup>;

}  // namespace distributed
}  // namespace taper
