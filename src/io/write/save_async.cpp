#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "core/never_destroyed.h"
#include "io/write/saving.h"
#include "taper/core/warning.h"

namespace taper {
namespace io {
namespace {

/// Ticket queue of a path: the ticket that may write now and the next one to be issued.
struct Queue {
  std::uint64_t now = 0, next = 0;
};
struct Queues {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Queue> by_path;
};
Queues& queues() {
  static NeverDestroyed<Queues> all;
  return *all;
}

std::string key_of(const std::string& path) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : real.string();
}

}  // namespace

SaveTicket::SaveTicket(const std::string& path, Deferred) : key_(key_of(path)) {
  const std::lock_guard lock(queues().mutex);
  number_ = queues().by_path[key_].next++;
}

void SaveTicket::wait() {
  std::unique_lock lock(queues().mutex);
  const Queue& queue = queues().by_path.at(key_);
  queues().changed.wait(lock, [&] { return queue.now == number_; });
}

SaveTicket::~SaveTicket() {
  wait();  // returns at once if the owner of the ticket has already waited
  const std::lock_guard lock(queues().mutex);
  const auto queue = queues().by_path.find(key_);
  if (++queue->second.now == queue->second.next) queues().by_path.erase(queue);
  queues().changed.notify_all();
}

}  // namespace io

struct SaveHandle::Job {
  std::thread thread;
  std::atomic<bool> done{false};
  std::exception_ptr error;
  bool wait_called = false;  // true once wait() was called

  void join() {
    if (thread.joinable()) thread.join();
  }
};

SaveHandle::SaveHandle() = default;
SaveHandle::SaveHandle(std::shared_ptr<Job> job) : job_(std::move(job)) {}
SaveHandle::SaveHandle(SaveHandle&&) noexcept = default;
SaveHandle& SaveHandle::operator=(SaveHandle&& other) noexcept {
  SaveHandle old(std::move(*this));
  job_ = std::move(other.job_);
  return *this;
}

SaveHandle::~SaveHandle() {
  if (!job_) return;
  job_->join();
  if (!job_->error || job_->wait_called) return;
  try {
    std::rethrow_exception(job_->error);
  } catch (const std::exception& e) {
    warn(std::string("save_async: background save failed and wait() was never called: ") +
         e.what());
  }
}

void SaveHandle::wait() {
  if (!job_) return;
  job_->join();
  job_->wait_called = true;
  if (job_->error) std::rethrow_exception(job_->error);
}

bool SaveHandle::done() const { return !job_ || job_->done; }

SaveHandle save_async(const Value& value, const std::string& path, const SaveOptions& options) {
  const auto job = std::make_shared<SaveHandle::Job>();
  try {
    io::SavePlan plan = io::plan(value, path, options);
    for (io::NamedFile& f : plan.files) f.file.snapshot();
    auto ticket = std::make_shared<io::SaveTicket>(path, io::SaveTicket::Deferred());
    job->thread = std::thread([job = job.get(), plan = std::move(plan), ticket]() mutable {
      try {
        ticket->wait();
        io::write_files(plan);
      } catch (...) { job->error = std::current_exception(); }
      ticket.reset();
      plan = {};
      job->done = true;
    });
  } catch (...) {
    job->error = std::current_exception();
    job->done = true;
  }
  return SaveHandle(job);
}

}  // namespace taper
