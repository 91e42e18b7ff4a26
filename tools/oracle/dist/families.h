// Functions that run the cases of each distributed family.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs collectives, their gradients and programs of several calls.
void run_collectives(Case& c);

/// Runs data-parallel training, samplers, buckets, SyncBatchNorm, metrics.
void run_ddp(Case& c);
/// Runs ZeroRedundancyOptimizer: partitions, steps, state dicts, training.
void run_zero(Case& c);
/// Runs fully_shard: shapes of shards, training, state dicts.
void run_fsdp(Case& c);
/// Runs parallelize_module: layers, training, cross entropy over divided classes, pieces.
void run_tensor_parallel(Case& c);

}  // namespace taper::oracle
