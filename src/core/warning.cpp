#include "taper/core/warning.h"

#include <cstdio>
#include <mutex>

namespace taper {
namespace {

std::mutex& handler_mutex() {
  static std::mutex m;
  return m;
}
SharedFunction<void(const std::string&)>& handler() {
  static SharedFunction<void(const std::string&)> h = [](const std::string& text) {
    std::fprintf(stderr, "taper: warning: %s\n", text.c_str());
  };
  return h;
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
