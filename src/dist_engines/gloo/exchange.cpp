#include "dist_engines/gloo/exchange.h"

#include <cstring>

#include "dist_engines/common/signature_hash.h"

namespace taper::dist_engines {
namespace {

/// First byte of the slots of exchanges. Gloo's collectives use 1 to 8.
constexpr std::uint64_t kExchangePrefix = std::uint64_t{0x40} << 56;

}  // namespace

std::uint64_t Exchange::slot_of(int from, int to, std::size_t size) const {
  SignatureHash hash;
  hash.add(tag_).add(from).add(to).add(static_cast<std::int64_t>(size));
  return kExchangePrefix | (hash.value() >> 8);
}

void Exchange::send(int rank, const void* data, std::size_t size) {
  if (rank == group_.rank()) {
    own_ = data;
    return;
  }
  if (size == 0) return;
  auto buffer = group_.context()->createUnboundBuffer(const_cast<void*>(data), size);
  buffer->send(rank, slot_of(group_.rank(), rank, size));
  sent_.push_back(std::move(buffer));
}

void Exchange::receive(int rank, void* data, std::size_t size) {
  if (size == 0) return;
  if (rank == group_.rank()) {
    if (own_ != data) std::memmove(data, own_, size);
    return;
  }
  auto buffer = group_.context()->createUnboundBuffer(data, size);
  buffer->recv(rank, slot_of(rank, group_.rank(), size));
  received_.push_back(std::move(buffer));
}

void Exchange::wait() {
  for (const auto& buffer : received_) buffer->waitRecv(kNoGlooTimeout);
  for (const auto& buffer : sent_) buffer->waitSend(kNoGlooTimeout);
  received_.clear(), sent_.clear();
}

}  // namespace taper::dist_engines
