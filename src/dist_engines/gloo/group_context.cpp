#include "dist_engines/gloo/group_context.h"

#include <gloo/transport/unbound_buffer.h>

#include <utility>

#include "dist_engines/gloo/group.h"

namespace taper::dist_engines {
namespace {

using gloo::transport::UnboundBuffer;

/// Buffer that is registered in its group.
class WatchedBuffer final : public UnboundBuffer {
 public:
  WatchedBuffer(std::unique_ptr<UnboundBuffer> buffer, GlooGroup& group)
      : UnboundBuffer(buffer->ptr, buffer->size), buffer_(std::move(buffer)), group_(group) {
    group_.add_buffer(buffer_.get());
  }
  ~WatchedBuffer() override { group_.remove_buffer(buffer_.get()); }
  WatchedBuffer(const WatchedBuffer&) = delete;
  WatchedBuffer& operator=(const WatchedBuffer&) = delete;

  // Gloo's collectives ignore that a wait was aborted.
  bool waitRecv(int* rank, std::chrono::milliseconds timeout) override {
    if (!buffer_->waitRecv(rank, timeout)) group_.check_alive();
    return true;
  }
  bool waitSend(int* rank, std::chrono::milliseconds timeout) override {
    if (!buffer_->waitSend(rank, timeout)) group_.check_alive();
    return true;
  }
  void abortWaitRecv() override { buffer_->abortWaitRecv(); }
  void abortWaitSend() override { buffer_->abortWaitSend(); }
  void send(int rank, std::uint64_t slot, std::size_t offset, std::size_t bytes) override {
    buffer_->send(rank, slot, offset, bytes);
  }
  void recv(int rank, std::uint64_t slot, std::size_t offset, std::size_t bytes) override {
    buffer_->recv(rank, slot, offset, bytes);
  }
  void recv(std::vector<int> ranks, std::uint64_t slot, std::size_t offset,
            std::size_t bytes) override {
    buffer_->recv(std::move(ranks), slot, offset, bytes);
  }

 private:
  std::unique_ptr<UnboundBuffer> buffer_;
  GlooGroup& group_;
};

/// Connections of a group, with registered buffers.
class WatchedConnections final : public gloo::transport::Context {
 public:
  WatchedConnections(std::shared_ptr<gloo::transport::Context> connections, GlooGroup& group)
      : Context(connections->rank, connections->size),
        connections_(std::move(connections)),
        group_(group) {
    setTimeout(connections_->getTimeout());
  }

  std::unique_ptr<gloo::transport::Pair>& getPair(int rank) override {
    return connections_->getPair(rank);
  }
  std::unique_ptr<gloo::transport::Pair>& createPair(int rank) override {
    return connections_->createPair(rank);
  }
  std::unique_ptr<UnboundBuffer> createUnboundBuffer(void* data, std::size_t size) override {
    return std::make_unique<WatchedBuffer>(connections_->createUnboundBuffer(data, size), group_);
  }

 private:
  std::shared_ptr<gloo::transport::Context> connections_;
  GlooGroup& group_;
};

}  // namespace

void GroupContext::watch(GlooGroup& group) {
  connections_ = transportContext_;
  transportContext_ = std::make_shared<WatchedConnections>(connections_, group);
}

}  // namespace taper::dist_engines
