// Collectives of Gloo on raw buffers, executed by the thread of a group.
#pragma once
#include "dist_engines/common/element_ranges.h"
#include "dist_engines/gloo/group.h"

namespace taper::dist_engines {

/// Elements of a reduction.
struct ReducedElements {
  DType dtype;
  taper_dist_op op;
};

// Arguments are those of the functions of taper/dist/c_api.h. `tag` differs between collectives.
void gloo_all_reduce(GlooGroup& group, std::uint32_t tag, void* buffer, std::int64_t count,
                     ReducedElements type);
void gloo_reduce(GlooGroup& group, std::uint32_t tag, void* buffer, std::int64_t count,
                 ReducedElements type, int root);
void gloo_reduce_scatter(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                         const Counts& counts, ReducedElements type);
void gloo_broadcast(GlooGroup& group, std::uint32_t tag, void* buffer, std::size_t bytes, int root);
void gloo_all_gather(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                     const Counts& counts, DType dtype);
void gloo_gather(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                 const Counts& counts, DType dtype, int root);
void gloo_scatter(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                  const Counts& counts, DType dtype, int root);
void gloo_all_to_all(GlooGroup& group, std::uint32_t tag, const void* send,
                     const Counts& send_counts, void* receive, const Counts& receive_counts,
                     DType dtype);
void gloo_barrier(GlooGroup& group, std::uint32_t tag);

}  // namespace taper::dist_engines
