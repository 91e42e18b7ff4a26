#include "rank_job.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/library_files.h"
#include "dist/launch/launch.h"
#include "dist/store/socket.h"
#include "taper/core/error.h"

namespace taper::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Time in which the other ranks can report the failure of one, and to end after SIGTERM.
constexpr auto kTimeToReport = std::chrono::milliseconds(500);
constexpr auto kTimeToEnd = std::chrono::milliseconds(1000);

/// Receives signals by a descriptor instead of handlers while it exists. Ignored ones remain
/// ignored.
class SignalDescriptor {
 public:
  SignalDescriptor() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction current {};
      ::sigaction(number, nullptr, &current);
      if (number == SIGCHLD || current.sa_handler != SIG_IGN) sigaddset(&set, number);
    }
    ::sigprocmask(SIG_BLOCK, &set, &before_);
    fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0) throw taper::IoError(std::string("signalfd: ") + std::strerror(errno));
  }
  ~SignalDescriptor() {
    ::close(fd_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;

  int fd() const { return fd_; }
  /// Returns a signal that ends the job; 0 if there is none.
  int take() const {
    signalfd_siginfo info{};
    while (::read(fd_, &info, sizeof(info)) == sizeof(info))
      if (info.ssi_signo != SIGCHLD) return static_cast<int>(info.ssi_signo);
    return 0;
  }

 private:
  sigset_t before_{};
  int fd_ = -1;
};

/// Returns the value of TAPER_LIBRARY_PATH with the folders of the engine that this program would
/// load.
std::string library_path() {
  const char* const given = std::getenv(kLibraryPathVariable);
  std::string path = given ? given : "";
  for (const std::string& file : library_files("libtaper_dist_gloo.so"))
    if (const std::size_t slash = file.rfind('/'); slash != std::string::npos)
      path += (path.empty() ? "" : ":") + file.substr(0, slash);
  return path;
}

/// Returns the variables of torchrun for a rank.
Variables variables_of(int rank, int size, int port, int attempt, const JobOptions& options) {
  const std::string number = std::to_string(rank), count = std::to_string(size);
  Variables variables = {
      {"RANK", number},
      {"LOCAL_RANK", number},
      {"ROLE_RANK", number},
      {"WORLD_SIZE", count},
      {"LOCAL_WORLD_SIZE", count},
      {"ROLE_WORLD_SIZE", count},
      {"GROUP_RANK", "0"},
      {"GROUP_WORLD_SIZE", "1"},
      {"ROLE_NAME", "default"},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(port)},
      {"TORCHELASTIC_RUN_ID", std::string(distributed::kTaperRunId) + std::to_string(::getpid())},
      {"TORCHELASTIC_RESTART_COUNT", std::to_string(attempt)},
      {"TORCHELASTIC_MAX_RESTARTS", std::to_string(options.max_restarts)},
      // Nothing listens on MASTER_PORT until rank 0 does.
      {"TORCHELASTIC_USE_AGENT_STORE", "False"}};
  if (const std::string path = library_path(); !path.empty())
    variables[kLibraryPathVariable] = path;
  if (size > 1 && !std::getenv("OMP_NUM_THREADS")) variables["OMP_NUM_THREADS"] = "1";
  return variables;
}

/// The processes of one attempt.
class Attempt {
 public:
  Attempt(const JobOptions& options, const SignalDescriptor& signals, int size, int port,
          int attempt)
      : signals_(signals), prefixes_(options.prefixes), width_(std::to_string(size - 1).size()) {
    for (int rank = 0; rank < size; ++rank)
      processes_.emplace_back(rank, options.command,
                              variables_of(rank, size, port, attempt, options));
  }

  /// Waits until all processes have ended.
  void wait() {
    while (true) {
      for (RankProcess& process : processes_) process.update();
      note_failures();
      if (is_over()) break;
      poll_once();
    }
    for (RankProcess& process : processes_) process.close_outputs(prefix_of(process));
  }

  /// Ranks that failed before the others were ended, the first one first.
  const std::vector<const RankProcess*>& failed() const { return failed_; }
  /// Signal that ended the job; 0 if there was none.
  int signal() const { return signal_; }

 private:
  std::string prefix_of(const RankProcess& process) const {
    return prefixes_ ? fmt::format("[{:>{}}] ", process.rank(), width_) : "";
  }

  bool is_over() const {
    return std::all_of(processes_.begin(), processes_.end(),
                       [](const RankProcess& process) { return process.end().has_value(); });
  }

  void note_failures() {
    if (next_signal_ != 0) return;
    for (const RankProcess& process : processes_)
      if (process.end() && process.end()->status != 0) failed_.push_back(&process);
    if (failed_.empty()) return;
    next_signal_ = SIGTERM;
    signal_at_ = Clock::now() + kTimeToReport;
  }

  void end_others(int number) {
    next_signal_ = SIGKILL;
    signal_at_ = Clock::now() + kTimeToEnd;
    // Also what the ended ones have started.
    for (const RankProcess& process : processes_) process.signal(number);
  }

  void poll_once() {
    std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
    for (const RankProcess& process : processes_)
      for (const int i : {0, 1}) entries.push_back({process.output(i), POLLIN, 0});
    int timeout = -1;
    if (next_signal_ != 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(signal_at_ - Clock::now());
      timeout = std::max(static_cast<int>(left.count()), 0);
    }
    const int ready = ::poll(entries.data(), entries.size(), timeout);
    if (next_signal_ != 0 && Clock::now() >= signal_at_) end_others(next_signal_);
    if (ready <= 0) return;
    if (entries[0].revents) receive_signal();
    for (std::size_t k = 1; k < entries.size(); ++k)
      if (entries[k].revents) {
        RankProcess& process = processes_[(k - 1) / 2];
        process.copy_output(static_cast<int>((k - 1) % 2), prefix_of(process));
      }
  }

  void receive_signal() {
    const int number = signals_.take();
    if (number == 0) return;
    signal_ = number;
    end_others(number);
  }

  const SignalDescriptor& signals_;
  bool prefixes_;
  std::size_t width_;
  std::vector<RankProcess> processes_;
  std::vector<const RankProcess*> failed_;
  int next_signal_ = 0;  ///< sent to all at `signal_at_`; 0 while no rank has failed
  Clock::time_point signal_at_{};
  int signal_ = 0;
};

}  // namespace

int run_job(const JobOptions& options) {
  const SignalDescriptor signals;
  const int port = options.port ? options.port : distributed::find_free_port();
  int size = options.max_ranks;
  for (int attempt = 0;; ++attempt) {
    Attempt job(options, signals, size, port, attempt);
    job.wait();
    if (job.signal() != 0) {
      fmt::print(stderr, "taper run: ended by signal {} ({})\n", job.signal(),
                 strsignal(job.signal()));
      return 128 + job.signal();
    }
    if (job.failed().empty()) return 0;
    const RankProcess& first = *job.failed().front();
    std::string text = fmt::format("taper run: rank {} {}", first.rank(), first.end()->str());
    if (size > 1) text += "; the other ranks were ended";
    const bool is_last = attempt == options.max_restarts;
    if (!is_last) {
      size = std::max(options.min_ranks, size - static_cast<int>(job.failed().size()));
      text += fmt::format("; restart {} of {} with {} {}", attempt + 1, options.max_restarts, size,
                          size == 1 ? "rank" : "ranks");
    }
    fmt::print(stderr, "{}\n", text);
    if (is_last) return first.end()->status;
  }
}

}  // namespace taper::cli
