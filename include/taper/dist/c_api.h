/* C ABI of the engines that execute the collectives of process groups. An engine is a table of
 * functions. It does not link Taper. Errors are reported as statuses; exceptions must not cross the
 * boundary.
 *
 * Every operation is asynchronous: it returns a work, and its buffers must remain valid until the
 * work has completed or was released. All ranks of a group call the same operations in the same
 * order. Ranks are those of the group. */
#ifndef TAPER_DIST_C_API_H
#define TAPER_DIST_C_API_H
#include <stddef.h>
#include <stdint.h>

#include "taper/backend/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TAPER_DIST_ABI_VERSION 3

typedef enum taper_dist_status {
  TAPER_DIST_OK = 0,
  TAPER_DIST_FAILED = 1,       /* see taper_dist_engine.explain */
  TAPER_DIST_TIMED_OUT = 2,    /* wait: the work is still pending */
  TAPER_DIST_NOT_SUPPORTED = 3 /* the engine does not implement the operation or the type */
} taper_dist_status;

typedef enum taper_dist_op {
  TAPER_DIST_SUM,
  TAPER_DIST_PRODUCT,
  TAPER_DIST_MIN,
  TAPER_DIST_MAX,
  TAPER_DIST_BAND,
  TAPER_DIST_BOR,
  TAPER_DIST_BXOR
} taper_dist_op;

typedef struct taper_dist_group taper_dist_group;
typedef struct taper_dist_work taper_dist_work;

/* Key-value store of the processes of a job, for the first exchange of addresses. Functions may be
 * called by one thread at a time, during `create`. */
typedef struct taper_dist_store {
  void* context;
  taper_dist_status (*set)(void* context, const char* key, const void* value, size_t size);
  /* Waits until the key exists, for at most `seconds`. Stores the size of the value in `size`, and
   * its address, which is valid until the next call, in `value`. */
  taper_dist_status (*get)(void* context, const char* key, double seconds, const void** value,
                           size_t* size);
  const char* (*explain)(void* context); /* reason of the last failure */
} taper_dist_store;

/* Rendezvous parameters of a new group. */
typedef struct taper_dist_rendezvous {
  const char* key;       /* name of the group, the same on its ranks and unique among jobs */
  double timeout;        /* seconds until `create` fails */
  int32_t deterministic; /* reductions add in the order of the ranks, 16-bit floats in f32 */
  /* Global ranks of the members, in the order of the ranks of the group; the group of all ranks is
   * created first. */
  const int32_t* ranks;
  const taper_dist_store* store; /* null if the engine has `join` */
  const char* address;           /* own address, for connections of other ranks; may be null */
} taper_dist_rendezvous;

/* Functions of an engine. `counts` are numbers of elements, one per rank; buffers of several ranks
 * are concatenated in rank order. */
typedef struct taper_dist_engine {
  uint32_t version; /* TAPER_DIST_ABI_VERSION */
  const char* name; /* "threads" */

  /* Null, or called before the first group is created, by a process that is started by the launcher
   * of the engine (MPI). Stores the rank of the process and the number of processes. `communicator`
   * is null or a pointer to the MPI_Comm of a program that has initialized MPI. */
  taper_dist_status (*join)(const void* communicator, int* rank, int* size);

  taper_dist_status (*create)(const taper_dist_rendezvous* rendezvous, int rank, int size,
                              taper_dist_group** group);
  void (*destroy)(taper_dist_group* group);

  /* Replaces the buffer of every rank (all_reduce), or of `root` (reduce), by the reduction of the
   * buffers of all ranks. Other buffers of reduce are unchanged. */
  taper_dist_status (*all_reduce)(taper_dist_group* group, void* buffer, int64_t count,
                                  taper_dtype dtype, taper_dist_op op, taper_dist_work** work);
  taper_dist_status (*reduce)(taper_dist_group* group, void* buffer, int64_t count,
                              taper_dtype dtype, taper_dist_op op, int root,
                              taper_dist_work** work);
  /* Reduces `send`, which has the sum of `counts` elements, and stores part i in `receive` of rank
   * i. */
  taper_dist_status (*reduce_scatter)(taper_dist_group* group, const void* send, void* receive,
                                      const int64_t* counts, taper_dtype dtype, taper_dist_op op,
                                      taper_dist_work** work);
  taper_dist_status (*broadcast)(taper_dist_group* group, void* buffer, int64_t count,
                                 taper_dtype dtype, int root, taper_dist_work** work);
  /* Concatenates `send` of all ranks, counts[i] elements of rank i, in `receive` of every rank
   * (all_gather) or of `root` (gather; null elsewhere). */
  taper_dist_status (*all_gather)(taper_dist_group* group, const void* send, void* receive,
                                  const int64_t* counts, taper_dtype dtype, taper_dist_work** work);
  taper_dist_status (*gather)(taper_dist_group* group, const void* send, void* receive,
                              const int64_t* counts, taper_dtype dtype, int root,
                              taper_dist_work** work);
  /* Stores part i of `send` of `root` (null elsewhere) in `receive` of rank i. Other ranks than
   * `root` need to specify their own count only, as for gather. */
  taper_dist_status (*scatter)(taper_dist_group* group, const void* send, void* receive,
                               const int64_t* counts, taper_dtype dtype, int root,
                               taper_dist_work** work);
  /* Stores part j of `send` of rank i as part i of `receive` of rank j. */
  taper_dist_status (*all_to_all)(taper_dist_group* group, const void* send,
                                  const int64_t* send_counts, void* receive,
                                  const int64_t* receive_counts, taper_dtype dtype,
                                  taper_dist_work** work);
  taper_dist_status (*barrier)(taper_dist_group* group, taper_dist_work** work);
  /* Messages with the same ranks and tag arrive in the order in which they were sent. A `peer` of
   * -1 receives from any rank. */
  taper_dist_status (*send)(taper_dist_group* group, const void* buffer, int64_t count,
                            taper_dtype dtype, int peer, int tag, taper_dist_work** work);
  taper_dist_status (*receive)(taper_dist_group* group, void* buffer, int64_t count,
                               taper_dtype dtype, int peer, int tag, taper_dist_work** work);

  /* Waits until a work has completed or failed, for at most `seconds`; 0 tests it. */
  taper_dist_status (*wait)(taper_dist_work* work, double seconds);
  /* Returns the source rank of a completed `receive`; -1 for other works. */
  int (*source)(const taper_dist_work* work);
  /* Null, or stores the times at which the execution of a completed work began and ended, in
   * nanoseconds of CLOCK_MONOTONIC; zeros if they are not known. */
  void (*times)(const taper_dist_work* work, int64_t* begin, int64_t* end);
  /* Releases a work. A pending work is canceled, which aborts the group. Its buffers are not
   * accessed after the call. */
  void (*release)(taper_dist_work* work);

  /* Fails all pending and future works of the group, on all ranks, with the reason. */
  void (*abort)(taper_dist_group* group, const char* reason);
  /* Describes why a work is pending: "ranks 1, 3 have not called it". Empty
   * if it is not known. Valid until the next call of the engine on this thread. */
  const char* (*pending)(taper_dist_work* work);
  /* Returns the reason of the last failure on this thread. */
  const char* (*explain)(void);
} taper_dist_engine;

/* An engine in a shared library is returned by the function of this name. */
#define TAPER_DIST_ENTRY "taper_dist_engine_table"
typedef const taper_dist_engine* (*taper_dist_entry)(void);

#ifdef __cplusplus
}
#endif
#endif
