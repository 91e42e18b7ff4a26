#include "dist_engines/gloo/collectives.h"

#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/reduce.h>

#include <algorithm>
#include <cstring>

#include "dist/reduction.h"
#include "dist_engines/gloo/exchange.h"

namespace taper::dist_engines {
namespace {

using distributed::combine_elements;
using distributed::ReductionInputs;
using distributed::ReductionOrder;

/// Memory for intermediate results.

/// Calls `f` with a null pointer of a type with the size of an element, which is what Gloo needs to
/// know of it.
template <class F> void visit_element_size(DType dtype, F&& f) {
  switch (size_of(dtype)) {
    case 1: return f(static_cast<std::uint8_t*>(nullptr));
    case 2: return f(static_cast<std::uint16_t*>(nullptr));
    case 4: return f(static_cast<std::uint32_t*>(nullptr));
    default: return f(static_cast<std::uint64_t*>(nullptr));
  }
}

/// Returns the function out = a op b of Gloo's options. `out` may be `a` or `b`.
auto combining_function(ReducedElements type) {
  return [type](void* out, const void* a, const void* b, std::size_t count) {
    const auto n = static_cast<std::int64_t>(count);
    if (out == b) return combine_elements(out, a, n, type.dtype, type.op);
    if (out != a) std::memcpy(out, a, bytes_of(n, type.dtype));
    combine_elements(out, b, n, type.dtype, type.op);
  };
}

/// Reduces the elements of this rank's part, which it receives from all others. The result is in
/// the scratch memory of the group.
std::byte* reduce_own_part(GlooGroup& group, std::uint32_t tag, const void* send,
                           const Counts& counts, ReducedElements type) {
  const auto own = static_cast<std::size_t>(group.rank());
  const std::size_t part_bytes = bytes_of(counts[own], type.dtype);
  std::byte* const parts = group.scratch(part_bytes * static_cast<std::size_t>(group.size()));
  std::vector<const void*> inputs;
  Exchange exchange(group, tag);
  for (int r = 0; r < group.size(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    exchange.send(r, element_at(send, offset_of(counts, i), type.dtype),
                  bytes_of(counts[i], type.dtype));
  }
  for (int r = 0; r < group.size(); ++r) {
    std::byte* const from = parts + static_cast<std::size_t>(r) * part_bytes;
    exchange.receive(r, from, part_bytes);
    inputs.push_back(from);
  }
  exchange.wait();
  std::byte* const result = parts + own * part_bytes;
  void* const output = result;
  const std::int64_t first = offset_of(counts, own);
  const ReductionInputs reduction{
      .ranks = inputs,
      .count = total_of(counts),
      .dtype = type.dtype,
      .op = type.op,
      .order = group.is_deterministic() ? ReductionOrder::rank : ReductionOrder::ring,
      .first = first};
  reduce_range(reduction, first, first + counts[own], std::span(&output, 1));
  return result;
}

void exchange_gather(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                     const Counts& counts, DType dtype, int root) {
  const std::size_t own = bytes_of(counts[static_cast<std::size_t>(group.rank())], dtype);
  Exchange exchange(group, tag);
  for (int r = 0; r < group.size(); ++r)
    if (root < 0 || r == root) exchange.send(r, send, own);
  if (root < 0 || group.rank() == root)
    for (int r = 0; r < group.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      exchange.receive(r, element_at(receive, offset_of(counts, i), dtype),
                       bytes_of(counts[i], dtype));
    }
  exchange.wait();
}

}  // namespace

void gloo_all_reduce(GlooGroup& group, std::uint32_t tag, void* buffer, std::int64_t count,
                     ReducedElements type) {
  if (count == 0) return;
  if (group.is_deterministic()) {
    const Counts counts = divide_evenly(count, group.size());
    const auto own = static_cast<std::size_t>(group.rank());
    void* const part = element_at(buffer, offset_of(counts, own), type.dtype);
    const std::byte* const result = reduce_own_part(group, tag, buffer, counts, type);
    std::copy_n(result, bytes_of(counts[own], type.dtype), static_cast<std::byte*>(part));
    return exchange_gather(group, tag + 1, part, buffer, counts, type.dtype, -1);
  }
  gloo::AllreduceOptions options(group.context());
  visit_element_size(type.dtype, [&]<class T>(T*) {
    options.setOutput(static_cast<T*>(buffer), static_cast<std::size_t>(count));
  });
  options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
  options.setReduceFunction(combining_function(type));
  options.setTag(tag);
  options.setTimeout(kNoGlooTimeout);
  gloo::allreduce(options);
}

void gloo_reduce(GlooGroup& group, std::uint32_t tag, void* buffer, std::int64_t count,
                 ReducedElements type, int root) {
  if (count == 0) return;
  const std::size_t bytes = bytes_of(count, type.dtype);
  if (group.is_deterministic()) {
    const Counts counts = divide_evenly(count, group.size());
    const std::byte* const part = reduce_own_part(group, tag, buffer, counts, type);
    return exchange_gather(group, tag + 1, part, buffer, counts, type.dtype, root);
  }
  // Gloo stores partial results on the other ranks.
  std::byte* const result = group.scratch(bytes);
  gloo::ReduceOptions options(group.context());
  visit_element_size(type.dtype, [&]<class T>(T*) {
    options.setInput(static_cast<T*>(buffer), static_cast<std::size_t>(count));
    options.setOutput(reinterpret_cast<T*>(result), static_cast<std::size_t>(count));
  });
  options.setRoot(root);
  options.setReduceFunction(combining_function(type));
  options.setTag(tag);
  options.setTimeout(kNoGlooTimeout);
  gloo::reduce(options);
  if (group.rank() == root) std::memcpy(buffer, result, bytes);
}

void gloo_reduce_scatter(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                         const Counts& counts, ReducedElements type) {
  if (total_of(counts) == 0) return;
  // Elements are combined in the order of Gloo's all_reduce, which would send all parts twice.
  const std::byte* const result = reduce_own_part(group, tag, send, counts, type);
  const std::size_t bytes = bytes_of(counts[static_cast<std::size_t>(group.rank())], type.dtype);
  if (bytes > 0) std::memcpy(receive, result, bytes);
}

void gloo_broadcast(GlooGroup& group, std::uint32_t tag, void* buffer, std::size_t bytes,
                    int root) {
  if (bytes == 0) return;
  gloo::BroadcastOptions options(group.context());
  options.setOutput(static_cast<std::uint8_t*>(buffer), bytes);
  options.setRoot(root);
  options.setTag(tag);
  options.setTimeout(kNoGlooTimeout);
  gloo::broadcast(options);
}

void gloo_all_gather(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                     const Counts& counts, DType dtype) {
  if (std::count(counts.begin(), counts.end(), 0) > 0)
    return exchange_gather(group, tag, send, receive, counts, dtype, -1);
  gloo::AllgathervOptions options(group.context());
  std::vector<std::size_t> sizes(counts.begin(), counts.end());
  visit_element_size(dtype, [&]<class T>(T*) {
    options.setInput(static_cast<T*>(const_cast<void*>(send)),
                     sizes[static_cast<std::size_t>(group.rank())]);
    options.setOutput(static_cast<T*>(receive), sizes);
  });
  options.setTag(tag);
  options.setTimeout(kNoGlooTimeout);
  gloo::allgatherv(options);
}

void gloo_gather(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                 const Counts& counts, DType dtype, int root) {
  exchange_gather(group, tag, send, receive, counts, dtype, root);
}

void gloo_scatter(GlooGroup& group, std::uint32_t tag, const void* send, void* receive,
                  const Counts& counts, DType dtype, int root) {
  Exchange exchange(group, tag);
  if (group.rank() == root)
    for (int r = 0; r < group.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      exchange.send(r, element_at(send, offset_of(counts, i), dtype), bytes_of(counts[i], dtype));
    }
  exchange.receive(root, receive, bytes_of(counts[static_cast<std::size_t>(group.rank())], dtype));
  exchange.wait();
}

void gloo_all_to_all(GlooGroup& group, std::uint32_t tag, const void* send,
                     const Counts& send_counts, void* receive, const Counts& receive_counts,
                     DType dtype) {
  const auto own = static_cast<std::size_t>(group.rank());
  if (send_counts[own] != receive_counts[own])
    throw std::runtime_error("mismatch: the rank sends " + std::to_string(send_counts[own]) +
                             " elements to itself, but expects " +
                             std::to_string(receive_counts[own]));
  Exchange exchange(group, tag);
  for (int r = 0; r < group.size(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    exchange.send(r, element_at(send, offset_of(send_counts, i), dtype),
                  bytes_of(send_counts[i], dtype));
  }
  for (int r = 0; r < group.size(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    exchange.receive(r, element_at(receive, offset_of(receive_counts, i), dtype),
                     bytes_of(receive_counts[i], dtype));
  }
  exchange.wait();
}

void gloo_barrier(GlooGroup& group, std::uint32_t tag) {
  gloo::BarrierOptions options(group.context());
  options.setTag(tag);
  options.setTimeout(kNoGlooTimeout);
  gloo::barrier(options);
}

}  // namespace taper::dist_engines
