// Collectives of layers on the default group.
#pragma once

namespace taper::distributed {

/// Makes SyncBatchNorm use the default group of the calling rank.
void enable_statistics_exchange();

}  // namespace taper::distributed
