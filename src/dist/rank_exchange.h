// Agreement of the ranks of train::Trainer over the default group, and of those of GradScaler.
#pragma once

namespace taper::distributed {

/// Registers the collectives that Trainer uses if the default group has several ranks, and those
/// that GradScaler uses if gradients are divided.
void enable_rank_exchange();

}  // namespace taper::distributed
