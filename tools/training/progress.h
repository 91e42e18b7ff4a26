// A line that shows how far the training is.
#pragma once
#include <cstdint>
#include <string>

namespace training {

struct Progress {
  std::int64_t epoch = 0, epochs = 0, batch = 0, batches = 0;
  double loss = 0, accuracy = 0, samples_per_second = 0, seconds_left = 0;
};

class Run;
/// Where a run stands, after a batch.
Progress progress_of(const Run& run);

/// Seconds of the monotonic clock.
double steady_seconds();

/// "3:07", "1:02:45".
std::string clock_text(double seconds);

/// The line, without its end, at most `width` columns wide.
std::string progress_text(const Progress& p, int width);

/// Redraws the line on a terminal, a few times a second; writes nothing elsewhere.
class ProgressLine {
 public:
  ProgressLine();
  void show(const Progress& p);
  void clear();

 private:
  bool terminal_;
  double shown_at_ = 0;
};

}  // namespace training
