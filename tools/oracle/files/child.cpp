#include "files/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace taper::oracle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCleanEnd = 0, kException = 3;

[[noreturn]] void work_and_exit(int to, unsigned seconds,
                                const SharedFunction<std::string()>& work) {
  const rlimit cpu{seconds, seconds + 5};
  ::setrlimit(RLIMIT_CPU, &cpu);
  int status = kCleanEnd;
  std::string text;
  try {
    text = work();
  } catch (const std::exception& e) {
    text = e.what();
    status = kException;
  }
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(to, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  std::fflush(nullptr);
  ::_exit(status);
}

/// Appends data to `text` until the other end of the pipe is closed. Returns false if this does not
/// happen before `end`.
bool read_all(int from, Clock::time_point end, std::string& text) {
  char buffer[1 << 16];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{from, POLLIN, 0};
    const int n = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (n == 0) return false;
    if (n < 0) continue;
    const ssize_t num_read = ::read(from, buffer, sizeof buffer);
    if (num_read == 0) return true;
    if (num_read > 0) text.append(buffer, static_cast<std::size_t>(num_read));
  }
}

}  // namespace

ChildResult fork_and_run(unsigned seconds, const SharedFunction<std::string()>& work) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a child process");
  if (child == 0) {
    ::close(pipe_fds[0]);
    work_and_exit(pipe_fds[1], seconds, work);
  }
  ::close(pipe_fds[1]);
  constexpr unsigned kWallTimeFactor = 10;
  ChildResult result;
  const auto limit = Clock::now() + std::chrono::seconds(kWallTimeFactor * seconds);
  const bool in_time = read_all(pipe_fds[0], limit, result.text);
  if (!in_time) ::kill(child, SIGKILL);
  ::close(pipe_fds[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!in_time)
    result.error = fmt::format("timed out after {} s", kWallTimeFactor * seconds);
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    result.error = fmt::format("stopped after {} s of processor time", seconds);
  else if (WIFSIGNALED(status))
    result.error = fmt::format("crashed: {}", ::strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) == kException)
    result.error = "ended with an exception: " + result.text;
  else if (WEXITSTATUS(status) != kCleanEnd)
    result.error = fmt::format("exited with status {}", WEXITSTATUS(status));
  return result;
}

}  // namespace taper::oracle
