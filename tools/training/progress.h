// ProgressLine: progress of a training run on the terminal.
#pragma once
#include <cstdint>
#include <string>

namespace training {

struct Progress {
  std::int64_t epoch = 0, epochs = 0, batch = 0, batches = 0;
  double loss = 0, accuracy = 0, samples_per_second = 0, seconds_left = 0;
};

class Run;
/// Returns the progress of a run after a batch.
Progress make_progress(const Run& run);

/// Returns the time of the monotonic clock in seconds.
double steady_seconds();

/// Returns a duration as text: "3:07" or "1:02:45".
std::string format_duration(double seconds);

/// Returns the line without line end, at most `width` columns wide.
std::string progress_text(const Progress& p, int width);

/// Progress line that is redrawn at most a few times per second. Prints nothing if the output is
/// not a terminal.
class ProgressLine {
 public:
  ProgressLine();
  void show(const Progress& p);
  void clear();

 private:
  bool terminal_;
  double last_shown_seconds_ = 0;
};

}  // namespace training
