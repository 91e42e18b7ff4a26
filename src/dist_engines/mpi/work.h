// MpiWork: an operation of MPI as a sequence of requests.
#pragma once
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taper/core/dtype.h"

namespace taper::dist_engines {

class MpiWork;
class NodeWindow;

/// State that the works of a group share.
struct MpiGroup {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  bool is_deterministic = false;
  /// Memory that the ranks share, which is used by this group only; may be null.
  std::shared_ptr<const NodeWindow> window{};
  /// Collectives that have stages left to start, in the order of the calls. Accessed where MPI may
  /// be called.
  std::deque<MpiWork*> unstarted{};

  bool is_aborted() const { return is_aborted_; }
  /// Fails later operations and waits, of any thread. The first reason is reported.
  void abort(std::string reason);
  /// Throws std::runtime_error if the group was aborted.
  void check_alive() const;

 private:
  std::mutex mutex_{};
  std::string abort_reason_{};  ///< constant after `is_aborted_` is set
  std::atomic<bool> is_aborted_ = false;
};

class MpiWork {
 public:
  /// Starts a request, or computes and leaves it null.
  using Stage = std::function<void(MPI_Request* request)>;

  enum class Kind : std::uint8_t { collective, message };

  /// Starts the first stage. The others follow when the one before has completed. MPI requires that
  /// all ranks start the collectives of a group in the same order: a collective starts after the
  /// last stage of the one before has started.
  MpiWork(std::shared_ptr<MpiGroup> group, std::vector<Stage> stages, Kind kind);
  /// Gives MPI up if an operation is pending.
  ~MpiWork();

  /// Waits for at most `seconds`; 0 tests it. Returns false if it is pending. Throws
  /// std::runtime_error if it has failed.
  bool wait(double seconds);
  /// Returns the status of the last request.
  const MPI_Status& status() const { return status_; }
  bool is_done() const { return is_done_; }

 private:
  bool advance();
  // Called where MPI may be.
  bool is_request_complete();
  bool start_stages();
  void start_collectives();
  void proceed();

  std::shared_ptr<MpiGroup> group_;
  const Kind kind_;
  std::vector<Stage> stages_;
  std::size_t next_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  bool is_done_ = false;
  /// Set where MPI may be called, also by the waits for other works of the group.
  std::string error_{};
};

}  // namespace taper::dist_engines
