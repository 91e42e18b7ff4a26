// RankProcess: one process of a job, with its output.
#pragma once
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taper::cli {

/// Variables that are set in addition to those of this process.
using Variables = std::map<std::string, std::string>;

/// How a process has ended.
struct ProcessEnd {
  int status = 0;  ///< exit status; 128 + the number of the signal
  int signal = 0;  ///< 0 if it has exited

  /// Returns "exited with status 3" or "was ended by signal 9 (Killed)".
  std::string str() const;
};

class RankProcess {
 public:
  /// Starts a program in a process group of its own. Throws taper::IoError if it cannot be started.
  RankProcess(int rank, const std::vector<std::string>& command, const Variables& variables);
  /// Ends the process if it runs.
  ~RankProcess();
  RankProcess(RankProcess&& other) noexcept;
  RankProcess& operator=(RankProcess&&) = delete;

  int rank() const { return rank_; }
  /// Returns how it has ended; nullopt while it runs.
  const std::optional<ProcessEnd>& end() const { return end_; }
  /// Notices that it has ended.
  void update();
  /// Sends a signal to the process and to those that it has started.
  void signal(int number) const;

  /// Read ends of its standard output and standard error, which do not block; -1 if closed.
  int output(int i) const { return outputs_[i]; }
  /// Copies what it has written, in whole lines, with `prefix` before each. At the end of the
  /// output a last line without newline is completed.
  void copy_output(int i, const std::string& prefix);
  /// Copies the rest and closes both outputs, which other processes may hold open.
  void close_outputs(const std::string& prefix);

 private:
  void write_lines(int i, const std::string& prefix, bool is_last);

  int rank_;
  pid_t pid_ = -1;
  int outputs_[2] = {-1, -1};
  std::string partial_[2];
  std::optional<ProcessEnd> end_{};
};

}  // namespace taper::cli
