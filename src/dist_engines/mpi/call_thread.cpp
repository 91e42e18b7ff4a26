#include "dist_engines/mpi/call_thread.h"

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace taper::dist_engines {

/// The communication thread. It runs until the process ends, since it must finalize MPI.
struct MpiCalls::Thread {
  Thread() {
    std::thread([this] { serve(); }).detach();
  }

  std::mutex mutex{};
  std::condition_variable posted{}, finished{};
  const std::function<void()>* call = nullptr;  ///< null while the thread waits

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      posted.wait(lock, [&] { return call != nullptr; });
      (*call)();
      call = nullptr;
      finished.notify_all();
    }
  }
  void execute(const std::function<void()>& f) {
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return call == nullptr; });
    call = &f;
    posted.notify_one();
    finished.wait(lock, [&] { return call != &f; });
  }
};

MpiCalls& MpiCalls::get() {
  // Never destroyed: works may be released while the process ends.
  static MpiCalls* const calls = new MpiCalls;
  return *calls;
}

void MpiCalls::execute(const std::function<void()>& f) { thread_->execute(f); }

void MpiCalls::initialize() {
  int is_initialized = 0, is_finalized = 0, provided = 0, is_main = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_finalized) throw std::runtime_error("MPI was finalized");
  if (is_initialized_) return;
  if (is_initialized) {
    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&is_main);
    if (provided < MPI_THREAD_SERIALIZED && !is_main)
      throw std::runtime_error(
          "the program has initialized MPI without MPI_THREAD_SERIALIZED, so that only the thread "
          "that did may create process groups");
    is_initialized_ = true;
    return;
  }
  // The variable serves tests of the communication thread.
  const char* const level = std::getenv("TAPER_MPI_THREADS");
  const bool is_single = level && level == std::string_view("single");
  thread_ = std::make_unique<Thread>();
  execute([&] {
    MPI_Init_thread(nullptr, nullptr, is_single ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE,
                    &provided);
    // Some errors are reported to this communicator, whichever was used.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  });
  uses_thread_ = is_single || provided < MPI_THREAD_SERIALIZED;
  is_initialized_ = owns_mpi_ = true;
  on_exit([](int status, void*) { MpiCalls::get().finish(status); }, nullptr);
}

void MpiCalls::check_usable() const {
  if (is_given_up_)
    throw std::runtime_error(
        "an earlier operation of MPI did not complete, which MPI cannot cancel; the process must "
        "end");
}

void MpiCalls::finish(int exit_status) {
  if (!owns_mpi_) return;
  const bool has_failed = exit_status != 0 || is_given_up_;
  execute([&] {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (is_finalized) return;
    if (!has_failed) {
      MPI_Finalize();
      return;
    }
    // The launcher of MPICH discards output that it has not read when a process aborts.
    std::fflush(nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    MPI_Abort(MPI_COMM_WORLD, exit_status != 0 ? exit_status : 1);
  });
}

}  // namespace taper::dist_engines
