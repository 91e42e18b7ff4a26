// Synchronization of the statistics of SyncBatchNorm over the default group.
#pragma once

namespace taper::distributed {

/// Registers the collectives that SyncBatchNorm uses if the default group has several ranks.
void enable_statistics_exchange();

}  // namespace taper::distributed
