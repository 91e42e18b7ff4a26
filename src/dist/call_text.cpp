#include "dist/call_text.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace taper::distributed {
namespace {

using Kind = RawCall::Kind;

constexpr std::string_view kCallNames[] = {
    "all_reduce", "reduce",     "reduce_scatter", "broadcast", "all_gather", "gather",
    "scatter",    "all_to_all", "barrier",        "send",      "recv"};

/// Returns a description without shapes: "all_reduce(sum) of float32".
std::string describe_kind(const RawCall& call) {
  std::string text(name_of_call(call));
  if (call.kind == Kind::barrier) return text;
  if (has_reduction(call.kind)) text += "(" + std::string(name_of(call.op)) + ")";
  return text + " of " + std::string(taper::name_of(call.dtype));
}

/// Returns true for calls whose tensors may have another size on each rank.
bool has_counts_per_pair(Kind kind) {
  return kind == Kind::gather || kind == Kind::scatter || kind == Kind::all_to_all;
}

constexpr std::size_t kTextLength = 512;  // names of parameters are cut off

/// Record of a call: its description, and the counts that it sends to and receives from each rank.
class Record {
 public:
  explicit Record(std::size_t ranks) : ranks_(ranks) {}
  std::size_t size() const { return kTextLength + 2 * ranks_ * sizeof(std::int64_t); }

  std::string write(std::string text, const RawCall& call) const {
    text.resize(kTextLength);
    std::string record = text + std::string(size() - kTextLength, '\0');
    if (has_counts_per_pair(call.kind))
      for (const bool is_sent : {true, false}) {
        const auto& counts = is_sent ? call.send_counts : call.receive_counts;
        for (std::size_t r = 0; r < std::min(counts.size(), ranks_); ++r)
          std::memcpy(record.data() + position(is_sent, r), &counts[r], sizeof(std::int64_t));
      }
    return record;
  }
  static std::string text_of(std::string_view record) {
    const std::string_view text = record.substr(0, kTextLength);
    return std::string(text.substr(0, text.find('\0')));
  }
  std::int64_t count_of(std::string_view record, bool is_sent, std::size_t rank) const {
    std::int64_t count = 0;
    std::memcpy(&count, record.data() + position(is_sent, rank), sizeof count);
    return count;
  }

 private:
  std::size_t position(bool is_sent, std::size_t rank) const {
    return kTextLength + ((is_sent ? 0 : ranks_) + rank) * sizeof(std::int64_t);
  }
  std::size_t ranks_;
};

std::string describe_compared(const RawCall& call, std::span<const int> ranks) {
  std::string text = has_counts_per_pair(call.kind) ? describe_kind(call) : describe_call(call);
  if (call.root >= 0)
    text += format_message(" with root {}", ranks[static_cast<std::size_t>(call.root)]);
  return text;
}

}  // namespace

std::string_view name_of_call(const RawCall& call) {
  return kCallNames[static_cast<std::size_t>(call.kind)];
}

bool has_reduction(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter;
}
bool is_message(Kind kind) { return kind == Kind::send || kind == Kind::receive; }

std::string describe_call(const RawCall& call) {
  return describe_kind(call) + (call.detail.empty() ? "" : " " + call.detail);
}

std::string comparison_record(const RawCall& call, std::span<const int> ranks) {
  return Record(ranks.size()).write(describe_compared(call, ranks), call);
}

std::string find_difference(std::string_view records, const RawCall& call,
                            std::span<const int> ranks) {
  const Record layout(ranks.size());
  const auto nth = [&](std::size_t r) { return records.substr(r * layout.size(), layout.size()); };
  const std::string first = Record::text_of(nth(0));
  for (std::size_t r = 1; r < ranks.size(); ++r)
    if (const std::string other = Record::text_of(nth(r)); other != first)
      return format_message("rank {} called {}, rank {} called {}", ranks[0], first, ranks[r],
                            other);
  if (!has_counts_per_pair(call.kind)) return {};
  const auto root = static_cast<std::size_t>(call.root);
  for (std::size_t from = 0; from < ranks.size(); ++from)
    for (std::size_t to = 0; to < ranks.size(); ++to) {
      // Ranks other than the root pass their own count only, as the root does.
      if (call.kind == Kind::gather ? to != root : call.kind == Kind::scatter && from != root)
        continue;
      const bool is_gather = call.kind == Kind::gather, is_scatter = call.kind == Kind::scatter;
      const std::int64_t sent = is_gather ? layout.count_of(nth(from), false, from)
                                          : layout.count_of(nth(from), true, to);
      const std::int64_t expected =
          is_scatter ? layout.count_of(nth(to), true, to) : layout.count_of(nth(to), false, from);
      if (sent != expected)
        return format_message("{}: rank {} sends {} elements to rank {}, which expects {}", first,
                              ranks[from], sent, ranks[to], expected);
    }
  return {};
}

}  // namespace taper::distributed
