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
volatile int signal_pipe = -1;      // write end of the pipe to the thread

extern "C" void on_signal(int signal) {
  const int saved_errno = errno;  // restored for the interrupted call
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t n = ::write(signal_pipe, &number, 1);
  errno = saved_errno;
}

void set_handlers(void (*handler)(int)) {
  for (const int s : kSignals) {
    struct sigaction current {};
    ::sigaction(s, nullptr, &current);
    if (current.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags =
        SA_RESTART | static_cast<int>(SA_RESETHAND);  // a second signal terminates immediately
    ::sigaction(s, &action, nullptr);
  }
}

}  // namespace

SignalCleanup::SignalCleanup(const std::string& path) {
  if (::pipe2(pipe_fds_, O_CLOEXEC) != 0) return;  // the next save removes leftover files
  signal_pipe = pipe_fds_[1];
  thread_ = std::thread([path, from = pipe_fds_[0]] {
    unsigned char number = kDone;
    while (::read(from, &number, 1) < 0) {}
    if (number == kDone) return;
    taper::io::remove_own(path);
    ::kill(::getpid(), number);  // SA_RESETHAND has restored the default action
  });
  set_handlers(on_signal);
}

SignalCleanup::~SignalCleanup() {
  if (!thread_.joinable()) return;
  set_handlers(SIG_DFL);
  [[maybe_unused]] const ssize_t n = ::write(pipe_fds_[1], &kDone, 1);
  thread_.join();
  ::close(pipe_fds_[0]), ::close(pipe_fds_[1]);
}

}  // namespace taper::cli
