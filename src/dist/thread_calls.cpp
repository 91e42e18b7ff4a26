// Execution of collectives on the buffers of all ranks.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "dist/thread_hub.h"

namespace taper::distributed {
namespace {

using Calls = std::vector<ThreadCall>;
using Counts = std::vector<std::int64_t>;

std::string_view call_name(ThreadCallKind kind) {
  constexpr std::string_view names[] = {"all_reduce", "reduce",     "reduce_scatter",
                                        "broadcast",  "all_gather", "gather",
                                        "scatter",    "all_to_all", "barrier"};
  return names[static_cast<std::size_t>(kind)];
}

std::int64_t total_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Returns the number of elements before part `i`.
std::int64_t offset_of(const Counts& counts, std::size_t i) {
  return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(i),
                         std::int64_t{0});
}

/// Copies elements between buffers of several ranks, which may be the same.
struct ElementCopier {
  std::size_t element_size;

  void operator()(void* to, std::int64_t to_offset, const void* from, std::int64_t from_offset,
                  std::int64_t count) const {
    if (count == 0) return;
    std::byte* const target =
        static_cast<std::byte*>(to) + static_cast<std::size_t>(to_offset) * element_size;
    const std::byte* const source =
        static_cast<const std::byte*>(from) + static_cast<std::size_t>(from_offset) * element_size;
    if (target != source)
      std::memmove(target, source, static_cast<std::size_t>(count) * element_size);
  }
};

[[noreturn]] void reject_counts(const ThreadCall& a, int rank_a, const ThreadCall& b, int rank_b) {
  throw std::runtime_error("mismatch: rank " + std::to_string(rank_a) + " called " + a.str() +
                           ", rank " + std::to_string(rank_b) + " called " + b.str());
}

ReductionInputs reduction_of(const Calls& calls, std::vector<const void*>& buffers,
                             ReductionOrder order) {
  for (const ThreadCall& call : calls) buffers.push_back(call.send);
  return {buffers, total_of(calls[0].send_counts), calls[0].dtype, calls[0].op, order};
}

void execute_reduction(const Calls& calls, ReductionOrder order) {
  std::vector<const void*> buffers;
  const ReductionInputs inputs = reduction_of(calls, buffers, order);
  std::vector<void*> outputs;
  if (calls[0].kind == ThreadCallKind::reduce)
    outputs.push_back(calls[static_cast<std::size_t>(calls[0].root)].receive);
  else
    for (const ThreadCall& call : calls) outputs.push_back(call.receive);
  reduce_range(inputs, 0, inputs.count, outputs);
}

void execute_reduce_scatter(const Calls& calls, ReductionOrder order) {
  std::vector<const void*> buffers;
  const ReductionInputs inputs = reduction_of(calls, buffers, order);
  const Counts& counts = calls[0].send_counts;
  for (std::size_t r = 0; r < calls.size(); ++r) {
    const std::int64_t begin = offset_of(counts, r);
    reduce_range(inputs, begin, begin + counts[r], std::span(&calls[r].receive, 1));
  }
}

/// Executes all_gather and gather: `receive_counts` are the counts of all ranks.
void execute_gather(const Calls& calls) {
  const ElementCopier copy{size_of(calls[0].dtype)};
  for (std::size_t to = 0; to < calls.size(); ++to) {
    if (!calls[to].receive) continue;
    const Counts& counts = calls[to].receive_counts;
    for (std::size_t from = 0; from < calls.size(); ++from) {
      if (calls[from].send_counts[0] != counts[from])
        reject_counts(calls[to], static_cast<int>(to), calls[from], static_cast<int>(from));
      copy(calls[to].receive, offset_of(counts, from), calls[from].send, 0, counts[from]);
    }
  }
}

void execute_scatter(const Calls& calls) {
  const ElementCopier copy{size_of(calls[0].dtype)};
  const ThreadCall& root = calls[static_cast<std::size_t>(calls[0].root)];
  for (std::size_t to = 0; to < calls.size(); ++to)
    if (calls[to].receive_counts[0] != root.send_counts[to])
      reject_counts(root, root.root, calls[to], static_cast<int>(to));
  for (std::size_t to = 0; to < calls.size(); ++to)
    copy(calls[to].receive, 0, root.send, offset_of(root.send_counts, to), root.send_counts[to]);
}

void execute_all_to_all(const Calls& calls) {
  const ElementCopier copy{size_of(calls[0].dtype)};
  for (std::size_t from = 0; from < calls.size(); ++from)
    for (std::size_t to = 0; to < calls.size(); ++to)
      if (calls[from].send_counts[to] != calls[to].receive_counts[from])
        reject_counts(calls[from], static_cast<int>(from), calls[to], static_cast<int>(to));
  for (std::size_t from = 0; from < calls.size(); ++from)
    for (std::size_t to = 0; to < calls.size(); ++to)
      copy(calls[to].receive, offset_of(calls[to].receive_counts, from), calls[from].send,
           offset_of(calls[from].send_counts, to), calls[from].send_counts[to]);
}

void execute_broadcast(const Calls& calls) {
  const ElementCopier copy{size_of(calls[0].dtype)};
  const ThreadCall& root = calls[static_cast<std::size_t>(calls[0].root)];
  for (const ThreadCall& call : calls)
    copy(call.receive, 0, root.receive, 0, root.receive_counts[0]);
}

/// Returns the counts that must be equal on all ranks.
const Counts* common_counts(const ThreadCall& call) {
  switch (call.kind) {
    case ThreadCallKind::all_reduce:
    case ThreadCallKind::reduce:
    case ThreadCallKind::reduce_scatter: return &call.send_counts;
    case ThreadCallKind::broadcast: return &call.receive_counts;
    default: return nullptr;
  }
}

std::string counts_text(const Counts& counts) {
  std::string text = counts.size() == 1 ? "" : "[";
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += (i ? ", " : "") + std::to_string(counts[i]);
  return text + (counts.size() == 1 ? "" : "]");
}

}  // namespace

std::string ThreadCall::str() const {
  std::string text(call_name(kind));
  if (kind == ThreadCallKind::barrier) return text;
  const Counts& counts = send_counts.empty() ? receive_counts : send_counts;
  text += " of " + counts_text(counts) + " " + std::string(name_of(dtype)) + " elements";
  if (root >= 0) text += " with root " + std::to_string(root);
  return text;
}

std::string call_difference(const ThreadCall& a, int rank_a, const ThreadCall& b, int rank_b) {
  const Counts *x = common_counts(a), *y = common_counts(b);
  if (a.kind == b.kind && a.dtype == b.dtype && a.op == b.op && a.root == b.root &&
      (!x || *x == *y))
    return {};
  return "mismatch: rank " + std::to_string(rank_a) + " called " + a.str() + ", rank " +
         std::to_string(rank_b) + " called " + b.str() +
         (a.kind == b.kind && a.op != b.op ? " with another reduction" : "");
}

void execute_calls(const Calls& calls, ReductionOrder order) {
  switch (calls[0].kind) {
    case ThreadCallKind::all_reduce:
    case ThreadCallKind::reduce: return execute_reduction(calls, order);
    case ThreadCallKind::reduce_scatter: return execute_reduce_scatter(calls, order);
    case ThreadCallKind::broadcast: return execute_broadcast(calls);
    case ThreadCallKind::all_gather:
    case ThreadCallKind::gather: return execute_gather(calls);
    case ThreadCallKind::scatter: return execute_scatter(calls);
    case ThreadCallKind::all_to_all: return execute_all_to_all(calls);
    case ThreadCallKind::barrier: return;
  }
}

}  // namespace taper::distributed
