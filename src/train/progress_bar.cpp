#include "taper/train/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace taper::train {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns a value with four decimals, or with four significant digits if it is tiny or huge.
std::string field_text(double value) {
  if (std::isnan(value)) return "nan";  // without the sign, which depends on the platform
  const double size = std::abs(value);
  return size == 0 || (size >= 1e-3 && size < 1e6) ? format_message("{:.4f}", value)
                                                   : format_message("{:.4g}", value);
}

}  // namespace

struct ProgressBar::Impl {
  explicit Impl(ProgressBarOptions all) : options(std::move(all)) {
    if (!options.output) options.output = stderr;
    is_terminal = isatty(fileno(options.output)) == 1;
    start(options.description, options.total);
    last_shown = is_terminal ? -std::numeric_limits<double>::infinity() : started;
  }

  void start(const std::string& description, std::int64_t total) {
    if (total < 0) fail<ValueError>("ProgressBar: total must not be negative, got {}", total);
    progress = {.description = description, .total = total};
    samples = 0;
    started = steady_seconds();
  }

  int columns() const {
    winsize size{};
    return ioctl(fileno(options.output), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                                    : 80;
  }

  void show(const Progress& state) {
    const double now = steady_seconds();
    if (now - last_shown < (is_terminal ? options.refresh_seconds : options.line_seconds)) return;
    last_shown = now;
    const std::string line =
        is_terminal ? "\r\033[K" + progress_text(state, columns())
                    : progress_text(state, std::numeric_limits<int>::max(), false) + "\n";
    print(line);
    is_visible = is_terminal;
  }

  void clear() {
    if (!is_terminal) return;
    last_shown = -std::numeric_limits<double>::infinity();
    if (is_visible) print("\r\033[K");
    is_visible = false;
  }

  void print(const std::string& text) const {
    std::fwrite(text.data(), 1, text.size(), options.output);
    std::fflush(options.output);
  }

  ProgressBarOptions options;
  bool is_terminal = false, is_visible = false;
  Progress progress{};
  std::int64_t samples = 0;
  double started = 0, last_shown = 0;
};

ProgressBar::ProgressBar(ProgressBarOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
ProgressBar::ProgressBar(ProgressBar&&) noexcept = default;
ProgressBar& ProgressBar::operator=(ProgressBar&& other) noexcept {
  ProgressBar old(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}
ProgressBar::~ProgressBar() {
  if (impl_) impl_->clear();
}

void ProgressBar::update(std::int64_t samples,
                         const std::vector<std::pair<std::string, double>>& fields) {
  Progress& p = impl_->progress;
  ++p.step;
  impl_->samples += samples;
  p.fields.clear();
  for (const auto& [name, value] : fields) p.fields.emplace_back(name, field_text(value));
  const double elapsed = steady_seconds() - impl_->started;
  p.samples_per_second = elapsed > 0 ? static_cast<double>(impl_->samples) / elapsed : 0;
  p.seconds_left = elapsed / static_cast<double>(p.step) * static_cast<double>(p.total - p.step);
  impl_->show(p);
}

void ProgressBar::show(const Progress& progress) { impl_->show(progress); }
void ProgressBar::clear() { impl_->clear(); }
void ProgressBar::restart(const std::string& description, std::int64_t total) {
  impl_->start(description, total);
}

}  // namespace taper::train
