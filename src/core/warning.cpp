#include "taper/core/warning.h"

#include <cstdio>
#include <mutex>
#include <set>

#include "core/never_destroyed.h"

namespace taper {
namespace {

std::mutex& handler_mutex() {
  static std::mutex m;
  return m;
}
/// Prints a text the first time, as Python's default filter does. Further texts than the maximum
/// are printed each time.
void print_once(const std::string& text) {
  constexpr std::size_t kMaxTexts = 1000;
  static std::mutex mutex;
  static NeverDestroyed<std::set<std::string>> printed;
  {
    std::lock_guard lock(mutex);
    if (printed->contains(text)) return;
    if (printed->size() < kMaxTexts) printed->insert(text);
  }
  std::fprintf(stderr, "taper: warning: %s\n", text.c_str());
}

SharedFunction<void(const std::string&)>& handler() {
  static NeverDestroyed<SharedFunction<void(const std::string&)>> h(print_once);
  return *h;
}

}  // namespace

void warn(const std::string& text) {
  std::unique_lock lock(handler_mutex());
  const auto h = handler();
  lock.unlock();
  if (h) h(text);
}

SharedFunction<void(const std::string&)> set_warning_handler(
    SharedFunction<void(const std::string&)> h) {
  std::lock_guard lock(handler_mutex());
  return std::exchange(handler(), std::move(h));
}

}  // namespace taper
