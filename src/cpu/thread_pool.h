// Worker threads of the CPU kernels.
//
// The calling thread and each worker own a contiguous range of chunks, so that consecutive regions
// run the same part of the data on the same core. A thread that has finished its range takes chunks
// from the end of the other ranges. Each chunk is claimed by a compare-and-swap: the caller runs
// the chunks that no worker has claimed, and waits only for those that a worker is running. A
// worker that the operating system does not schedule therefore delays a region only if it was
// suspended within a chunk.
//
// Waiting threads spin for at most 20 microseconds and then sleep. A sleeping thread lets the
// operating system move a suspended worker to its core.
#pragma once

namespace taper::cpu {

/// Calls `task(argument, i)` once for every i in [0, count) and returns when all calls have
/// completed. At most `threads` threads including the calling one run tasks, which must not throw.
/// May be called from several threads at the same time, which share the workers. In a child process
/// after fork(), workers are started again by the first call.
void run_on_workers(int count, int threads, void (*task)(void* argument, int index),
                    void* argument);

}  // namespace taper::cpu
