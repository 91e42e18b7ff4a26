// Work: handle of an asynchronous collective. DistributedError: failure of one.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {
namespace distributed {

/// Failure of communication between ranks: a timeout, calls that do not match, a rank that failed.
/// The message names the rank, the call and the ranks that caused it. PyTorch: torch.distributed.
/// DistError.
class DistributedError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Duration of a timeout in seconds: `30`, `0.5`, or a std::chrono duration.
using Timeout = std::chrono::duration<double>;

/// Handle of an asynchronous collective. Copies refer to the same collective, whose tensors are
/// retained until it has completed. A default-constructed handle has completed. A handle must be
/// used by the thread that started the collective. PyTorch: torch.distributed.Work.
class Work {
 public:
  struct State;

  Work() = default;
  explicit Work(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// Waits until the collective has completed and its results are stored. Throws DistributedError
  /// if it fails, or if it has not completed within the timeout of the group; the group is then
  /// aborted on all ranks. Further calls return, or throw the same error.
  /// PyTorch: torch.distributed.Work.wait.
  void wait() const;
  /// As wait, with a timeout that begins with the call.
  void wait(Timeout timeout) const;
  /// Returns true if the collective has completed or failed. If it has completed, its results are
  /// stored. Does not wait. PyTorch: torch.distributed.Work.is_completed.
  bool is_completed() const;
  /// Returns true if the collective has completed without an error.
  /// PyTorch: torch.distributed.Work.is_success.
  bool is_success() const;
  /// Returns the text of the error; an empty string if the collective is pending or has succeeded.
  /// PyTorch: torch.distributed.Work.exception.
  std::string error() const;
  /// Returns the global rank that sent the message of a completed receive; -1 for other works.
  /// PyTorch: torch.distributed.Work.source_rank.
  int source_rank() const;
  /// Adds a function that runs once, after the collective has completed: in `wait` or
  /// `is_completed`, after functions that were added before. Runs it at once if the collective has
  /// completed, and never if it fails. Returns the handle. PyTorch: torch.futures.Future.then.
  Work then(SharedFunction<void()> f) const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace distributed
}  // namespace taper
