// MpiCalls: executes calls of MPI on a thread that may make them.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace taper::dist_engines {

/// If MPI allows calls of several threads, calls run on the calling thread, one at a time.
/// Otherwise they run on the thread that has initialized MPI, which is a thread of this library
/// unless the program did.
class MpiCalls {
 public:
  static MpiCalls& get();

  /// Initializes MPI unless the program has. Throws std::runtime_error if this thread must not call
  /// MPI, or if MPI was finalized.
  void initialize();
  /// Runs `f` and returns its result.
  template <class F> auto run(F&& f) {
    if (!uses_thread_) {
      const std::lock_guard lock(mutex_);
      return f();
    }
    decltype(f()) result{};
    execute([&] { result = f(); });
    return result;
  }

  /// After an operation was given up, which MPI cannot cancel, no call may be made: it could access
  /// buffers that no longer exist.
  void give_up() { is_given_up_ = true; }
  /// Throws std::runtime_error after `give_up`.
  void check_usable() const;
  /// Ends MPI with the process: by MPI_Abort, which ends the other ranks, after a failure.
  void finish(int exit_status);

 private:
  struct Thread;
  void execute(const std::function<void()>& f);

  std::mutex mutex_;
  bool is_initialized_ = false, owns_mpi_ = false, uses_thread_ = false;
  std::atomic<bool> is_given_up_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace taper::dist_engines
