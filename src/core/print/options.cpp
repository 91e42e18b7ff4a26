#include <mutex>

#include "core/check.h"
#include "taper/core/printing.h"

namespace taper {
namespace {

std::mutex mutex;
constinit PrintOptions current;

PrintOptions of_profile(std::string_view profile, const PrintOptions& now) {
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

void change_number(std::int64_t& number, std::optional<std::int64_t> to, std::string_view name,
                   std::int64_t max) {
  if (!to) return;
  if (*to < 0 || *to > max)
    fail<ValueError>("set_printoptions: got {} = {}, expected a number from 0 to {}", name, *to,
                     max);
  number = *to;
}

}  // namespace

void set_printoptions(const PrintOptionsChange& change) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kFew = 1'000'000;
  const std::lock_guard lock(mutex);
  PrintOptions options = of_profile(change.profile, current);
  change_number(options.precision, change.precision, "precision", 1000);
  change_number(options.threshold, change.threshold, "threshold", kAny);
  change_number(options.edgeitems, change.edgeitems, "edgeitems", kFew);
  change_number(options.linewidth, change.linewidth, "linewidth", kFew);
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
