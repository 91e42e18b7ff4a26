// Agreement of the ranks of train::Trainer over the default group.
#pragma once

namespace taper::distributed {

/// Registers the collectives that Trainer uses if the default group has several ranks.
void enable_rank_exchange();

}  // namespace taper::distributed
