#include "signal_cleanup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "io/write/temporary_file.h"

namespace taper::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr unsigned char kDone = 0;  // stops the thread; not the number of a signal
volatile int tell = -1;             // write end of the pipe to the thread

extern "C" void on_end(int signal) {
  const int kept = errno;  // restored for the interrupted call
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t n = ::write(tell, &number, 1);
  errno = kept;
}

void set_all(void (*handler)(int)) {
  for (const int s : kSignals) {
    struct sigaction now {};
    ::sigaction(s, nullptr, &now);
    if (now.sa_handler == SIG_IGN) continue;
    struct sigaction wanted {};
    wanted.sa_handler = handler;
    wanted.sa_flags = SA_RESTART | SA_RESETHAND;  // a second signal terminates immediately
    ::sigaction(s, &wanted, nullptr);
  }
}

}  // namespace

SignalCleanup::SignalCleanup(const std::string& path) {
  if (::pipe2(ends_, O_CLOEXEC) != 0) return;  // the next save removes leftover files
  tell = ends_[1];
  thread_ = std::thread([path, from = ends_[0]] {
    unsigned char number = kDone;
    while (::read(from, &number, 1) < 0) {}
    if (number == kDone) return;
    taper::io::remove_own(path);
    ::kill(::getpid(), number);  // SA_RESETHAND has restored the default action
  });
  set_all(on_end);
}

SignalCleanup::~SignalCleanup() {
  if (!thread_.joinable()) return;
  set_all(SIG_DFL);
  [[maybe_unused]] const ssize_t n = ::write(ends_[1], &kDone, 1);
  thread_.join();
  ::close(ends_[0]), ::close(ends_[1]);
}

}  // namespace taper::cli
