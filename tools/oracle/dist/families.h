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
/// Reads folders that torch.distributed.checkpoint wrote.
void run_checkpoint(Case& c);
/// Compares what torchrun and `taper run` give their workers, restarts and exit codes. The workers
/// are processes of this program.
void run_elastic(Case& c);

}  // namespace taper::oracle
