#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "run.h"

namespace training {
namespace {

int columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string format_duration(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

Progress make_progress(const Run& t) {
  const Sums& s = t.sums();
  Progress p;
  p.epoch = t.epoch() + 1, p.epochs = t.settings().epochs;
  p.batch = t.batch(), p.batches = t.batches_per_epoch();
  p.loss = s.loss / static_cast<double>(s.batches);
  p.accuracy = static_cast<double>(s.correct) / static_cast<double>(s.seen);
  p.samples_per_second = static_cast<double>(s.seen) / s.seconds;
  const std::int64_t left = (p.epochs - p.epoch + 1) * t.examples().train_count() - s.seen;
  p.seconds_left = static_cast<double>(left) / p.samples_per_second;
  return p;
}

std::string progress_text(const Progress& p, int width) {
  const std::string head =
      fmt::format("epoch {:>{}}/{} ", p.epoch, std::to_string(p.epochs).size(), p.epochs);
  const std::string tail =
      fmt::format(" {:>{}}/{}  loss {:.4f}  accuracy {:5.1f} %  {:>6.0f} samples/s  {} left",
                  p.batch, std::to_string(p.batches).size(), p.batches, p.loss, 100 * p.accuracy,
                  p.samples_per_second, format_duration(p.seconds_left));
  const int available = std::clamp(width - static_cast<int>(head.size() + tail.size()) - 3, 0, 30);
  std::string bar;
  if (available >= 5) {
    const auto done = p.batches ? static_cast<int>(p.batch * available / p.batches) : 0;
    bar = "[" + std::string(static_cast<std::size_t>(done), '=') +
          std::string(static_cast<std::size_t>(available - done), ' ') + "]";
  }
  return (head + bar + tail).substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
}

ProgressLine::ProgressLine() : terminal_(isatty(STDOUT_FILENO) == 1) {}

void ProgressLine::show(const Progress& p) {
  if (!terminal_) return;
  const double t = steady_seconds();
  if (t - last_shown_seconds_ < 0.1) return;
  last_shown_seconds_ = t;
  fmt::print("\r\033[K{}", progress_text(p, columns()));
  std::fflush(stdout);
}

void ProgressLine::clear() {
  if (!terminal_) return;
  last_shown_seconds_ = 0;
  fmt::print("\r\033[K");
  std::fflush(stdout);
}

}  // namespace training
