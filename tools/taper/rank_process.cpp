#include "rank_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "taper/core/error.h"
#include "words.h"

namespace taper::cli {
namespace {

/// Longer lines are written in parts.
constexpr std::size_t kMaxLineBytes = 1 << 16;

void write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return;  // the reader has gone
    if (n > 0) at += static_cast<std::size_t>(n);
  }
}

/// Runs in the new process, and returns if the program cannot be started.
void become_program(const std::vector<std::string>& command, const Variables& variables, int rank,
                    const int (&output)[2]) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a job does not outlive its launcher
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  // A process group in the background cannot read from a terminal.
  if (rank > 0 || ::isatty(STDIN_FILENO)) {
    const int null = ::open("/dev/null", O_RDONLY);
    if (null >= 0) ::dup2(null, STDIN_FILENO);
  }
  ::dup2(output[0], STDOUT_FILENO), ::dup2(output[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
}

[[noreturn]] void fail_to_start(const std::string& program, int error) {
  throw taper::IoError("cannot start " + printable(program) + ": " + std::strerror(error));
}

}  // namespace

std::string ProcessEnd::str() const {
  if (signal == 0) return fmt::format("exited with status {}", status);
  return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
}

RankProcess::RankProcess(int rank, const std::vector<std::string>& command,
                         const Variables& variables)
    : rank_(rank) {
  int out[2], err[2], failure[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0 ||
      ::pipe2(failure, O_CLOEXEC) != 0)
    fail_to_start(command[0], errno);
  pid_ = ::fork();
  if (pid_ == 0) {
    become_program(command, variables, rank, {out[1], err[1]});
    const int error = errno;
    [[maybe_unused]] const ssize_t n = ::write(failure[1], &error, sizeof(error));
    ::_exit(127);
  }
  const int fork_error = errno;
  for (const int fd : {out[1], err[1], failure[1]}) ::close(fd);
  outputs_[0] = out[0], outputs_[1] = err[0];
  for (const int fd : outputs_) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  int error = 0;
  if (pid_ < 0) error = fork_error;
  // The pipe is closed when the program starts.
  while (pid_ > 0 && ::read(failure[0], &error, sizeof(error)) < 0 && errno == EINTR) {}
  ::close(failure[0]);
  if (error == 0) return;
  for (const int fd : outputs_) ::close(fd);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  fail_to_start(command[0], error);
}

RankProcess::RankProcess(RankProcess&& other) noexcept
    : rank_(other.rank_),
      pid_(std::exchange(other.pid_, -1)),
      outputs_{std::exchange(other.outputs_[0], -1), std::exchange(other.outputs_[1], -1)},
      partial_{std::move(other.partial_[0]), std::move(other.partial_[1])},
      end_(other.end_) {}

RankProcess::~RankProcess() {
  for (const int fd : outputs_)
    if (fd >= 0) ::close(fd);
  if (pid_ <= 0 || end_) return;
  signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RankProcess::update() {
  int status = 0;
  if (end_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
  end_ = WIFSIGNALED(status) ? ProcessEnd{128 + WTERMSIG(status), WTERMSIG(status)}
                             : ProcessEnd{WEXITSTATUS(status), 0};
}

void RankProcess::signal(int number) const { ::kill(-pid_, number); }

void RankProcess::write_lines(int i, const std::string& prefix, bool is_last) {
  std::string& partial = partial_[i];
  std::string text;
  std::size_t begin = 0;
  for (std::size_t end; (end = partial.find('\n', begin)) != std::string::npos; begin = end + 1)
    text += prefix + partial.substr(begin, end + 1 - begin);
  partial.erase(0, begin);
  if (!partial.empty() && (is_last || partial.size() > kMaxLineBytes)) {
    text += prefix + partial + '\n';
    partial.clear();
  }
  write_all(i == 0 ? STDOUT_FILENO : STDERR_FILENO, text);
}

void RankProcess::copy_output(int i, const std::string& prefix) {
  char buffer[1 << 14];
  while (outputs_[i] >= 0) {
    const ssize_t n = ::read(outputs_[i], buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {
      ::close(outputs_[i]);
      outputs_[i] = -1;
      break;
    }
    partial_[i].append(buffer, static_cast<std::size_t>(n));
    if (n < static_cast<ssize_t>(sizeof(buffer))) break;
  }
  write_lines(i, prefix, outputs_[i] < 0);
}

void RankProcess::close_outputs(const std::string& prefix) {
  for (int i = 0; i < 2; ++i) {
    copy_output(i, prefix);
    if (outputs_[i] >= 0) ::close(outputs_[i]);
    outputs_[i] = -1;
    write_lines(i, prefix, true);
  }
}

}  // namespace taper::cli
