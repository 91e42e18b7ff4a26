#include "train/events/event_file_writer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>

#include "core/check.h"
#include "io/host_name.h"
#include "train/events/event_message.h"
#include "train/events/record.h"

namespace taper::train::events {
namespace {

constexpr double kMaxInterval = 1e8;  // seconds; a longer one overflows the clock

/// Returns a new name of an event file, of the form that TensorBoard recognizes.
std::string file_name(const std::string& suffix) {
  static std::atomic<unsigned> count{0};
  return format_message("events.out.tfevents.{:010}.{}.{}.{}{}",
                        static_cast<std::int64_t>(current_time()), io::host_name(),
                        static_cast<std::int64_t>(::getpid()), count++, suffix);
}

std::string create_path(const std::string& folder, const SummaryWriterOptions& options) {
  if (options.max_queue < 1)
    fail<ValueError>("SummaryWriter: max_queue must be positive, got {}", options.max_queue);
  if (!(options.flush_secs >= 0))
    fail<ValueError>("SummaryWriter: flush_secs must not be negative, got {}", options.flush_secs);
  if (options.filename_suffix.find('/') != std::string::npos)
    fail<ValueError>("SummaryWriter: filename_suffix must not contain '/', got '{}'",
                     options.filename_suffix);
  io::create_folder("SummaryWriter", folder);
  return folder + "/" + file_name(options.filename_suffix);
}

}  // namespace

EventFileWriter::EventFileWriter(const std::string& folder, const SummaryWriterOptions& options)
    : file_("SummaryWriter", create_path(folder, options), io::AppendFile::Mode::create),
      max_queue_(static_cast<std::size_t>(options.max_queue)),
      flush_interval_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(std::min(options.flush_secs, kMaxInterval)))) {
  write({version_event(current_time())});
  // Signals are for the threads of the program.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

EventFileWriter::~EventFileWriter() { stop(); }

void EventFileWriter::add(std::string event) {
  std::unique_lock lock(mutex_);
  progress_.wait(lock, [&] { return !error_.empty() || pending_.size() < max_queue_; });
  throw_if_failed();
  if (pending_.empty()) deadline_ = Clock::now() + flush_interval_;
  pending_.push_back(std::move(event));
  ++added_;
  // The thread waits for the first pending event, and then for a full queue.
  if (pending_.size() == 1 || pending_.size() >= max_queue_) work_.notify_one();
}

void EventFileWriter::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t all = added_;
  requested_ = all;
  work_.notify_one();
  progress_.wait(lock, [&] { return !error_.empty() || written_ >= all; });
  throw_if_failed();
  file_.check_in_place();
}

void EventFileWriter::close() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    throw_if_failed();
  }
  file_.check_in_place();
  file_.close();
}

bool EventFileWriter::has_reported_error() {
  const std::lock_guard lock(mutex_);
  return reported_;
}

void EventFileWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EventFileWriter::throw_if_failed() {
  if (error_.empty()) return;
  reported_ = true;
  throw IoError(error_);
}

void EventFileWriter::write(const std::vector<std::string>& events) {
  std::string bytes;
  for (const std::string& event : events) append_record(bytes, event);
  file_.append(bytes);
  file_.check_in_place();
}

void EventFileWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    work_.wait_until(lock, deadline_, [&] {
      return stopping_ || requested_ > written_ || pending_.size() >= max_queue_;
    });
    std::vector<std::string> events;
    events.swap(pending_);
    progress_.notify_all();
    lock.unlock();
    std::string error;
    try {
      write(events);
    } catch (const std::exception& e) { error = e.what(); }
    lock.lock();
    written_ += events.size();
    if (!error.empty()) {
      pending_.clear();
      error_ = std::move(error);
    }
    progress_.notify_all();
    if (!error_.empty()) return;
  }
}

}  // namespace taper::train::events
