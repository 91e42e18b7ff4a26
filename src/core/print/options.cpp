#include <mutex>

#include "core/check.h"
#include "taper/core/printing.h"

namespace taper {
namespace {

std::mutex mutex;
constinit PrintOptions current;

PrintOptions options_for_profile(std::string_view profile, const PrintOptions& now) {
  PrintOptions options;
  if (profile.empty()) return now;
  if (profile == "short") {
    options.precision = 2;
    options.edgeitems = 2;
  } else if (profile == "full") {
    options.threshold = std::numeric_limits<std::int64_t>::max();
  } else if (profile != "default") {
    fail<ValueError>("set_printoptions: got profile '{}', expected default, short or full",
                     profile);
  }
  return options;
}

void update_option(std::int64_t& number, std::optional<std::int64_t> to, std::string_view name,
                   std::int64_t max) {
  if (!to) return;
  if (*to < 0 || *to > max)
    fail<ValueError>("set_printoptions: got {} = {}, expected a number from 0 to {}", name, *to,
                     max);
  number = *to;
}

}  // namespace

void set_printoptions(const PrintOptionsChange& change) {
  constexpr auto kUnbounded = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMaxColumns = 1'000'000;
  const std::lock_guard lock(mutex);
  PrintOptions options = options_for_profile(change.profile, current);
  update_option(options.precision, change.precision, "precision", 1000);
  update_option(options.threshold, change.threshold, "threshold", kUnbounded);
  update_option(options.edgeitems, change.edgeitems, "edgeitems", kMaxColumns);
  update_option(options.linewidth, change.linewidth, "linewidth", kMaxColumns);
  options.sci_mode = change.sci_mode;
  current = options;
}

PrintOptions get_printoptions() {
  const std::lock_guard lock(mutex);
  return current;
}

PrintOptionsScope::PrintOptionsScope(const PrintOptionsChange& change)
    : outer_(get_printoptions()) {
  set_printoptions(change);
}

PrintOptionsScope::~PrintOptionsScope() {
  const std::lock_guard lock(mutex);
  current = outer_;
}

}  // namespace taper
