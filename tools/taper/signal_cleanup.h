// SignalCleanup: removes temporary files when a signal terminates the program.
#pragma once
#include <string>
#include <thread>

namespace taper::cli {

/// While an instance exists, SIGINT, SIGTERM and SIGHUP remove the temporary files of this process
/// for `path` and then terminate the program by the same signal. Ignored signals remain ignored.
class SignalCleanup {
 public:
  explicit SignalCleanup(const std::string& path);
  ~SignalCleanup();
  SignalCleanup(const SignalCleanup&) = delete;
  SignalCleanup& operator=(const SignalCleanup&) = delete;

 private:
  int pipe_fds_[2] = {-1, -1};  // pipe from the signal handler to the thread
  std::thread thread_;
};

}  // namespace taper::cli
