// Baseline: the same benchmarks in PyTorch, measured by a Python process between Taper's rounds.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace taper::bench {

class Peer {
 public:
  /// Starts `python scripts/peer/eager.py`. Throws std::runtime_error if it does not respond.
  explicit Peer(const std::string& python);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  const std::string& version() const { return version_; }
  /// Measures a benchmark once.
  double measure(const std::string& row, int threads);

 private:
  std::string answer();
  int process_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
  std::string version_;
};

}  // namespace taper::bench
