#include "taper/train/detail/rank_exchange.h"

#include <atomic>

namespace taper::train::detail {
namespace {

constinit std::atomic<RankExchangeProvider> exchange_provider{nullptr};

}  // namespace

void set_rank_exchange(RankExchangeProvider provider) noexcept {
  exchange_provider.store(provider, std::memory_order_release);
}

const RankExchange* rank_exchange() {
  const RankExchangeProvider provider = exchange_provider.load(std::memory_order_acquire);
  return provider ? provider() : nullptr;
}

}  // namespace taper::train::detail
