// Signals that end the program while it writes a file.
#pragma once
#include <string>
#include <thread>

namespace taper::cli {

/// While it lives, Ctrl-C, SIGTERM and SIGHUP remove the temporary files of this process beside
/// `path`, and then end the program as usual. A signal that is ignored stays ignored.
class SignalCleanup {
 public:
  explicit SignalCleanup(const std::string& path);
  ~SignalCleanup();
  SignalCleanup(const SignalCleanup&) = delete;
  SignalCleanup& operator=(const SignalCleanup&) = delete;

 private:
  int ends_[2] = {-1, -1};  // of the pipe from the handler to the thread
  std::thread thread_;
};

}  // namespace taper::cli
