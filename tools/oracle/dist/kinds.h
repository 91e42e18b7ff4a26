// Kinds of the distributed families that are defined in other files, or occur in several families.
#pragma once
#include "dist/rank_case.h"

namespace taper::oracle {

/// Trains under DistributedDataParallel.
Value run_ddp_train(RankCase& c);
/// Runs passes of one SyncBatchNorm layer.
Value run_sync_batch_norm(RankCase& c);
/// Computes a metric over the batches of all ranks.
Value run_rank_metric(RankCase& c);

}  // namespace taper::oracle
