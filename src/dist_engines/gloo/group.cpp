#include "dist_engines/gloo/group.h"

#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>

#include "core/never_destroyed.h"
#include "dist_engines/common/signature_hash.h"
#include "dist_engines/gloo/store_adapter.h"

namespace taper::dist_engines {
namespace {

/// Slot of a receive that no rank answers.
constexpr std::uint64_t kUnusedSlot = ~std::uint64_t{0};

/// Returns the device of an address or of the interface GLOO_SOCKET_IFNAME. Groups share the thread
/// of a device.
std::shared_ptr<gloo::transport::Device> tcp_device(const char* address) {
  static std::mutex mutex;
  static NeverDestroyed<std::map<std::string, std::weak_ptr<gloo::transport::Device>>> devices;
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
  gloo::transport::tcp::attr attributes;
  if (interface && *interface)
    attributes.iface = interface;
  else
    attributes.hostname = address ? address : "";
  const std::lock_guard lock(mutex);
  std::weak_ptr<gloo::transport::Device>& known =
      (*devices)[attributes.iface + "/" + attributes.hostname];
  std::shared_ptr<gloo::transport::Device> device = known.lock();
  if (device) return device;
  try {
    known = device = gloo::transport::tcp::CreateDevice(attributes);
  } catch (const std::exception&) {
    if (attributes.iface.empty()) throw;
    throw std::runtime_error("GLOO_SOCKET_IFNAME is '" + attributes.iface +
                             "', expected the name of a network interface with an address");
  }
  return device;
}

/// Gloo writes to connections that the other end may have closed.
void ignore_broken_pipes() {
  struct sigaction current {};
  if (sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL)
    std::signal(SIGPIPE, SIG_IGN);
}

std::chrono::duration<double> wait_duration(double seconds) {
  return std::chrono::duration<double>(std::min(seconds, 1e8));  // larger ones overflow the clock
}

}  // namespace

std::string text_of_gloo_error(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return text.starts_with('[') && end != std::string::npos ? text.substr(end + 2) : text;
}

GlooGroup::GlooGroup(const taper_dist_rendezvous& rendezvous, int rank, int size)
    : context_(std::make_shared<GroupContext>(rank, size)),
      is_deterministic_(rendezvous.deterministic != 0) {
  ignore_broken_pipes();
  auto device = tcp_device(rendezvous.address);
  const double milliseconds = std::clamp(rendezvous.timeout * 1000, 1.0, 1e9);
  context_->setTimeout(std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds)));
  StoreAdapter store(rendezvous, size);
  try {
    context_->connectFullMesh(store, device);
  } catch (const gloo::Exception& error) {
    throw std::runtime_error("cannot connect to the other ranks: " + text_of_gloo_error(error));
  }
  context_->setTimeout(kNoGlooTimeout);
  context_->watch(*this);
  thread_ = std::thread([this] { run_tasks(); });
}

GlooGroup::~GlooGroup() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    queued_.notify_all();
  }
  thread_.join();
}

void GlooGroup::check_alive() {
  const std::lock_guard lock(mutex_);
  if (is_aborted_) throw std::runtime_error(abort_reason_);
}

std::byte* GlooGroup::scratch(std::size_t bytes) {
  if (bytes > scratch_size_) {
    scratch_.reset();
    scratch_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    scratch_size_ = bytes;
  }
  return scratch_.get();
}

std::shared_ptr<GlooGroup::Task> GlooGroup::enqueue(std::uint64_t signature,
                                                    std::function<void(std::uint32_t)> run) {
  auto task = std::make_shared<Task>();
  task->run = std::move(run);
  const std::lock_guard lock(mutex_);
  if (is_aborted_) throw std::runtime_error(abort_reason_);
  task->signature = SignatureHash()
                        .add(static_cast<std::int64_t>(++sequence_))
                        .add(static_cast<std::int64_t>(signature))
                        .value();
  queue_.push_back(task);
  queued_.notify_one();
  return task;
}

void GlooGroup::run_tasks() {
  std::unique_lock lock(mutex_);
  while (true) {
    queued_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::shared_ptr<Task> task = queue_.front();
    queue_.pop_front();
    task->error = is_aborted_ ? abort_reason_ : "";
    if (task->error.empty()) {
      task->is_running = true;
      lock.unlock();
      std::string error;
      task->begin = std::chrono::steady_clock::now();
      try {
        task->run(static_cast<std::uint32_t>(task->signature));
      } catch (const std::exception& e) { error = text_of_gloo_error(e); }
      task->end = std::chrono::steady_clock::now();
      lock.lock();
      task->is_running = false;
      // The reason of an abort is more specific than the error of a connection that it closed.
      task->error = error.empty() || !is_aborted_ ? error : abort_reason_;
    }
    task->run = nullptr;
    task->is_done = true;
    done_.notify_all();
  }
}

bool GlooGroup::wait(Task& task, double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds > 0) done_.wait_for(lock, wait_duration(seconds), [&] { return task.is_done; });
  if (!task.is_done) return false;
  if (!task.error.empty()) throw std::runtime_error(task.error);
  return true;
}

void GlooGroup::cancel(Task& task) {
  std::unique_lock lock(mutex_);
  if (task.is_done) return;
  lock.unlock();
  abort("a rank has released the group before its operations had completed");
  lock.lock();
  done_.wait(lock, [&] { return task.is_done; });
}

void GlooGroup::add_buffer(gloo::transport::UnboundBuffer* buffer) {
  const std::lock_guard lock(mutex_);
  if (is_aborted_) throw std::runtime_error(abort_reason_);
  buffers_.insert(buffer);
}

void GlooGroup::remove_buffer(gloo::transport::UnboundBuffer* buffer) {
  const std::lock_guard lock(mutex_);
  buffers_.erase(buffer);
}

void GlooGroup::abort(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (is_aborted_) return;
    is_aborted_ = true;
    abort_reason_ = reason;
    for (gloo::transport::UnboundBuffer* const buffer : buffers_)
      buffer->abortWaitRecv(), buffer->abortWaitSend();
  }
  // A receive that times out is how Gloo closes the connections of a context and ends what waits
  // for them.
  try {
    char byte = 0;
    const auto buffer = context_->connections().createUnboundBuffer(&byte, sizeof(byte));
    buffer->recv(rank() == 0 ? 1 : 0, kUnusedSlot);
    buffer->waitRecv(std::chrono::milliseconds(1));
  } catch (const std::exception&) {}
}

}  // namespace taper::dist_engines
