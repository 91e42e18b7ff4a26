// ProgressBar: progress of a loop on the terminal.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"

namespace TAPER_API taper {
namespace train {

/// State of a loop.
struct Progress {
  std::string description{};         ///< text before the bar: "epoch 3/10"
  std::int64_t step = 0, total = 0;  ///< completed steps and all steps; a total of 0 is unknown
  /// Names and formatted values: {"loss", "0.5300"}.
  std::vector<std::pair<std::string, std::string>> fields{};
  double samples_per_second = 0;
  double seconds_left = -1;  ///< negative: unknown
};

/// Returns a duration as text: "3:07" or "1:02:45"; "?" if it is negative or not finite.
std::string format_duration(double seconds);
/// Returns the state as a line without line end, shorter than `width` characters:
/// "epoch 3/10 [======      ] 12/23  loss 0.5300  5321 samples/s  0:41 left". Without `with_bar`,
/// the line does not contain the bar.
std::string progress_text(const Progress& progress, int width, bool with_bar = true);

struct ProgressBarOptions {
  std::string description{};     ///< text before the bar
  std::int64_t total = 0;        ///< number of steps; 0: unknown
  std::FILE* output = nullptr;   ///< null: standard error
  double refresh_seconds = 0.1;  ///< minimum time between updates on a terminal
  /// Minimum time between lines if the output is not a terminal; infinity disables the lines.
  double line_seconds = 30;
};

/// Displays progress as a line that is redrawn on a terminal. If the output is not a terminal, such
/// as a log file, a line is printed at most every `line_seconds`.
///
///     train::ProgressBar bar({.description = "epoch 1/3", .total = loader.size()});
///     for (auto& [images, labels] : loader) {
///       ...
///       bar.update(images.size(0), {{"loss", loss}});
///     }
///     bar.clear();
///
/// Speed and remaining time are measured from construction or `restart`.
class ProgressBar {
 public:
  explicit ProgressBar(ProgressBarOptions options = {});
  ProgressBar(ProgressBar&&) noexcept;
  ProgressBar& operator=(ProgressBar&&) noexcept;
  /// Removes the line from the terminal.
  ~ProgressBar();

  /// Completes a step that processed `samples` samples. `fields` are the values to display.
  void update(std::int64_t samples, const std::vector<std::pair<std::string, double>>& fields = {});
  /// Displays a state that the caller measured.
  void show(const Progress& progress);
  /// Removes the line from the terminal, so that other text can be printed. The next `update` or
  /// `show` displays it again.
  void clear();
  /// Starts another loop, such as the next epoch.
  void restart(const std::string& description, std::int64_t total);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace train
}  // namespace taper
