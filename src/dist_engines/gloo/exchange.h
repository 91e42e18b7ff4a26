// Exchange: messages between all ranks of a group.
#pragma once
#include <gloo/transport/unbound_buffer.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dist_engines/gloo/group.h"

namespace taper::dist_engines {

/// Sends and receives parts of buffers, and waits for all of them. Parts of the calling rank are
/// copied. The slot of a message contains its size, so that ranks that expect different sizes wait
/// for each other instead of writing outside of a buffer.
class Exchange {
 public:
  Exchange(GlooGroup& group, std::uint32_t tag) : group_(group), tag_(tag) {}

  /// Each pair of ranks must call both in the same order. Empty parts are not sent.
  void send(int rank, const void* data, std::size_t size);
  void receive(int rank, void* data, std::size_t size);
  void wait();

 private:
  std::uint64_t slot_of(int from, int to, std::size_t size) const;

  GlooGroup& group_;
  std::uint32_t tag_;
  const void* own_ = nullptr;
  std::vector<std::unique_ptr<gloo::transport::UnboundBuffer>> sent_, received_;
};

}  // namespace taper::dist_engines
