// Baseline: the same benchmarks in PyTorch, measured by a Python process between Taper's rounds.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace taper::bench {

class Baseline {
 public:
  /// Starts `python scripts/baseline/eager.py`. Throws std::runtime_error if it does not respond.
  explicit Baseline(const std::string& python);
  ~Baseline();
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;
  const std::string& version() const { return version_; }
  /// Measures a benchmark of the baseline once with `threads` threads. Returns the result in its
  /// unit. Throws std::runtime_error if the process ends.
  double measure(const std::string& benchmark, int threads);

  /// Sends a line without waiting for its reply, so that both processes can work.
  void send(const std::string& line);
  /// Returns the reply to a line. Throws std::runtime_error if the process reports an error or
  /// ends.
  std::string read_reply();

 private:
  int process_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
  std::string version_;
};

}  // namespace taper::bench
