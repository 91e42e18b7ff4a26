#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "cpu/attention/blocks.h"
#include "cpu/threads.h"

namespace taper::cpu {
namespace {

constexpr std::int64_t kBackwardQueries = 128, kBackwardKeys = 128;
/// Minimum number of tasks if there are enough keys. If there are fewer heads, the blocks of keys
/// of a head are distributed over several tasks. The number depends on the shapes only, because it
/// determines the order of summation.
constexpr std::int64_t kMinTasks = 8;

/// Distribution of the work: a task computes the gradients of every `groups`-th block of keys of a
/// head, and their part of the gradient of the query.
struct BackwardPlan {
  std::int64_t key_heads, key_blocks, groups;

  template <class T> explicit BackwardPlan(const Attention<T>& a)
      : key_heads(count_heads(a) / a.group),
        key_blocks(ceil_div(a.keys, kBackwardKeys)),
        groups(std::clamp<std::int64_t>(ceil_div(kMinTasks, key_heads), 1,
                                        std::max<std::int64_t>(1, key_blocks / 2))) {}
};

/// Rows of a head that are read once per block of keys, contiguous.
template <class T> struct QueryRows {
  const T *query, *grad_output;
  std::int64_t query_row, grad_output_row;
  const T *maximum, *log_sum, *delta;
  T* grad_query;  ///< null if not requested
  std::int64_t grad_query_row;
};

template <class T> class BackwardWorker {
 public:
  /// `partial` has the parts of the gradient of the query, (heads, groups, queries, depth), if
  /// there are several groups.
  BackwardWorker(const Attention<T>& a, const AttentionGradient<T>& g, const BackwardPlan& plan,
                 T* partial)
      : a_(a), g_(g), plan_(plan), partial_(partial) {
    const std::int64_t columns = std::min(kBackwardKeys, a.keys);
    const std::int64_t rows = std::min(kBackwardQueries, a.queries);
    const std::int64_t all = a.group * a.queries;
    sums_query_ =
        g.grad_query.data && plan.groups == 1 && plan.key_blocks > 1 && g.grad_query.row != a.depth;
    Arrays<T> arrays;
    const auto keys = arrays.add(round_to_panels(columns), a.depth);
    const auto values = arrays.add(round_to_panels(columns), a.value_depth);
    const auto key_rows = arrays.add(is_dense(a.key, a.depth) ? 0 : columns, a.depth);
    const auto grad_keys = arrays.add(columns, a.depth);
    const auto grad_values = arrays.add(columns, a.value_depth);
    const auto scores = arrays.add(rows, score_stride());
    const auto grads = arrays.add(rows, score_stride());
    const auto queries = arrays.add(is_dense(a.query, a.depth) ? 0 : all, a.depth);
    const auto grad_outputs =
        arrays.add(is_dense(g.grad_output, a.value_depth) ? 0 : all, a.value_depth);
    const auto outputs = arrays.add(g.output.col == 1 ? 0 : rows, a.value_depth);
    const auto statistics = arrays.add(3, all);
    const auto grad_queries = arrays.add(sums_query_ ? all : 0, a.depth);
    memory_.emplace(arrays.bytes());
    T* const memory = memory_->template as<T>();
    key_panels_ = memory + keys, value_panels_ = memory + values, key_rows_ = memory + key_rows;
    grad_keys_ = memory + grad_keys, grad_values_ = memory + grad_values;
    scores_ = memory + scores, grads_ = memory + grads;
    queries_ = memory + queries, grad_outputs_ = memory + grad_outputs;
    outputs_ = memory + outputs, statistics_ = memory + statistics;
    grad_queries_ = memory + grad_queries;
  }

  void run(std::int64_t key_head, std::int64_t group) {
    key_head_ = key_head;
    members_.clear();
    for (std::int64_t member = 0; member < a_.group; ++member)
      members_.push_back(prepare_queries(member, group));
    for (std::int64_t block = group; block < plan_.key_blocks; block += plan_.groups)
      run_keys(block * kBackwardKeys);
    if (!sums_query_) return;
    for (std::int64_t member = 0; member < a_.group; ++member)
      store_rows(members_[static_cast<std::size_t>(member)].grad_query, a_.depth, a_.queries,
                 matrix_of(g_.grad_query, a_.heads, 1, head_of(member)), g_.grad_query.row);
  }

 private:
  std::int64_t score_stride() const { return std::min(kBackwardKeys, round_to_panels(a_.keys)); }
  std::int64_t head_of(std::int64_t member) const { return key_head_ * a_.group + member; }

  static void store_rows(const T* from, std::int64_t columns, std::int64_t rows, T* to,
                         std::int64_t to_row) {
    for (std::int64_t r = 0; r < rows; ++r)
      std::copy_n(from + r * columns, columns, to + r * to_row);
  }

  QueryRows<T> prepare_queries(std::int64_t member, std::int64_t group) {
    const std::int64_t head = head_of(member), n = a_.queries;
    QueryRows<T> q{.query = matrix_of(a_.query, a_.heads, 1, head),
                   .grad_output = matrix_of(g_.grad_output, a_.heads, 1, head),
                   .query_row = a_.depth,
                   .grad_output_row = a_.value_depth,
                   .maximum = statistics_ + 3 * member * n,
                   .log_sum = statistics_ + (3 * member + 1) * n,
                   .delta = statistics_ + (3 * member + 2) * n,
                   .grad_query = nullptr,
                   .grad_query_row = a_.depth};
    if (!is_dense(a_.query, a_.depth)) {
      T* const to = queries_ + member * n * a_.depth;
      copy_rows(q.query, a_.query.row, a_.query.col, n, a_.depth, to);
      q.query = to;
    }
    if (!is_dense(g_.grad_output, a_.value_depth)) {
      T* const to = grad_outputs_ + member * n * a_.value_depth;
      copy_rows(q.grad_output, g_.grad_output.row, g_.grad_output.col, n, a_.value_depth, to);
      q.grad_output = to;
    }
    prepare_statistics(head, q, statistics_ + 3 * member * n);
    if (!g_.grad_query.data) return q;
    if (partial_ != nullptr) {
      q.grad_query = partial_ + (head * plan_.groups + group) * n * a_.depth;
    } else if (sums_query_) {
      q.grad_query = grad_queries_ + member * n * a_.depth;
    } else {
      q.grad_query = matrix_of(g_.grad_query, a_.heads, 1, head);
      q.grad_query_row = g_.grad_query.row;
    }
    for (std::int64_t r = 0; r < n; ++r)
      std::fill_n(q.grad_query + r * q.grad_query_row, a_.depth, T{0});
    return q;
  }

  /// Assigns the statistics of a head: maxima, logarithms of the sums, and delta.
  void prepare_statistics(std::int64_t head, const QueryRows<T>& q, T* maximum) {
    T *const log_sum = maximum + a_.queries, *const delta = log_sum + a_.queries;
    const auto& [maxima, logarithms] = g_.log_sums;
    const T* const all_maxima = matrix_of(maxima, a_.heads, 1, head);
    const T* const all_logarithms = matrix_of(logarithms, a_.heads, 1, head);
    const T* const output = matrix_of(g_.output, a_.heads, 1, head);
    const bool excludes_keys = a_.mask.data || a_.is_causal;
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    for (std::int64_t r = 0; r < a_.queries; ++r) {
      const T value = all_maxima[r * maxima.row];
      log_sum[r] = all_logarithms[r * logarithms.row];
      maximum[r] = value != -kInfinity ? value
                   : excludes_keys     ? kInfinity
                                       : std::numeric_limits<T>::quiet_NaN();
    }
    for (std::int64_t first = 0; first < a_.queries; first += kBackwardQueries) {
      const std::int64_t rows = std::min(kBackwardQueries, a_.queries - first);
      const T* o = output + first * g_.output.row;
      std::int64_t o_row = g_.output.row;
      if (g_.output.col != 1) {
        copy_rows(o, o_row, g_.output.col, rows, a_.value_depth, outputs_);
        o = outputs_, o_row = a_.value_depth;
      }
      dot_rows(rows, a_.value_depth, q.grad_output + first * q.grad_output_row, q.grad_output_row,
               o, o_row, delta + first);
    }
    if (!g_.grad_log_sum.data) return;
    // The logarithm of the sum is a function of the scores whose gradient are the weights.
    const T* const grad = matrix_of(g_.grad_log_sum, a_.heads, 1, head);
    for (std::int64_t r = 0; r < a_.queries; ++r) delta[r] -= grad[r * g_.grad_log_sum.row];
  }

  /// Computes the gradients of the block of keys and values that starts at `key`.
  void run_keys(std::int64_t key) {
    const std::int64_t count = std::min(kBackwardKeys, a_.keys - key);
    const T* const keys = matrix_of(a_.key, a_.heads, a_.group, key_head_) + key * a_.key.row;
    const T* const values = matrix_of(a_.value, a_.heads, a_.group, key_head_) + key * a_.value.row;
    const T* key_rows = keys;
    if (!is_dense(a_.key, a_.depth)) {
      copy_rows(keys, a_.key.row, a_.key.col, count, a_.depth, key_rows_);
      key_rows = key_rows_;
    }
    Gemm<T> scores{.n = count,
                   .k = a_.depth,
                   .a_row = a_.depth,
                   .b = keys,
                   .b_row = a_.key.col,
                   .b_col = a_.key.row,
                   .c = scores_,
                   .c_row = score_stride(),
                   .panels = key_panels_};
    Gemm<T> grads{.n = count,
                  .k = a_.value_depth,
                  .a_row = a_.value_depth,
                  .b = values,
                  .b_row = a_.value.col,
                  .b_col = a_.value.row,
                  .c = grads_,
                  .c_row = score_stride(),
                  .panels = value_panels_};
    gemm_pack(scores, key_panels_);
    gemm_pack(grads, value_panels_);
    std::fill_n(grad_keys_, count * a_.depth, T{0});
    std::fill_n(grad_values_, count * a_.value_depth, T{0});
    for (std::int64_t member = 0; member < a_.group; ++member) {
      const QueryRows<T>& q = members_[static_cast<std::size_t>(member)];
      const std::int64_t start = a_.is_causal ? key / kBackwardQueries * kBackwardQueries : 0;
      for (std::int64_t first = start; first < a_.queries; first += kBackwardQueries) {
        const std::int64_t rows = std::min(kBackwardQueries, a_.queries - first);
        // Columns beyond the diagonal are not computed. Those of the last panel must be the packed
        // ones.
        const std::int64_t columns =
            a_.is_causal ? std::min(count, round_to_panels(first + rows - key)) : count;
        scores.m = grads.m = rows;
        scores.n = grads.n = columns;
        scores.a = q.query + first * q.query_row;
        grads.a = q.grad_output + first * q.grad_output_row;
        gemm(scores);
        gemm(grads);
        run_tile(q, member, first, rows, key, columns);
        gemm(transposed_product(scores_, rows, columns, grads.a, q.grad_output_row, a_.value_depth,
                                grad_values_));
        gemm(
            transposed_product(grads_, rows, columns, scores.a, q.query_row, a_.depth, grad_keys_));
        if (q.grad_query != nullptr)
          gemm(Gemm<T>{.m = rows,
                       .n = a_.depth,
                       .k = columns,
                       .a = grads_,
                       .a_row = score_stride(),
                       .b = key_rows,
                       .b_row = a_.depth,
                       .c = q.grad_query + first * q.grad_query_row,
                       .c_row = q.grad_query_row,
                       .accumulate = true});
      }
    }
    if (g_.grad_key.data)
      store_rows(grad_keys_, a_.depth, count,
                 matrix_of(g_.grad_key, a_.heads, a_.group, key_head_) + key * g_.grad_key.row,
                 g_.grad_key.row);
    if (g_.grad_value.data)
      store_rows(grad_values_, a_.value_depth, count,
                 matrix_of(g_.grad_value, a_.heads, a_.group, key_head_) + key * g_.grad_value.row,
                 g_.grad_value.row);
  }

  void run_tile(const QueryRows<T>& q, std::int64_t member, std::int64_t first, std::int64_t rows,
                std::int64_t key, std::int64_t columns) {
    GradientTile<T> g{.grad = grads_,
                      .maximum = q.maximum + first,
                      .log_sum = q.log_sum + first,
                      .delta = q.delta + first};
    if (g_.grad_mask.data) {
      g.grad_mask =
          matrix_of(g_.grad_mask, a_.heads, 1, head_of(member)) + first * g_.grad_mask.row + key;
      g.grad_mask_row = g_.grad_mask.row;
    }
    gradient_tile(ScoreTile<T>{.scores = scores_,
                               .rows = rows,
                               .columns = columns,
                               .stride = score_stride(),
                               .scale = a_.scale,
                               .diagonal = a_.is_causal ? first - key + 1 : columns,
                               .mask = tile_mask(a_, head_of(member), first, key)},
                  g);
  }

  /// Returns the product sums += tile^T b of a tile (rows, columns) and b (rows, n).
  Gemm<T> transposed_product(const T* tile, std::int64_t rows, std::int64_t columns, const T* b,
                             std::int64_t b_row, std::int64_t n, T* sums) const {
    return {.m = columns,
            .n = n,
            .k = rows,
            .a = tile,
            .a_row = 1,
            .a_col = score_stride(),
            .b = b,
            .b_row = b_row,
            .c = sums,
            .c_row = n,
            .accumulate = true};
  }

  const Attention<T>& a_;
  const AttentionGradient<T>& g_;
  const BackwardPlan& plan_;
  T* partial_;
  bool sums_query_ = false;
  std::optional<Scratch> memory_{};
  T *key_panels_ = nullptr, *value_panels_ = nullptr, *key_rows_ = nullptr, *grad_keys_ = nullptr,
    *grad_values_ = nullptr, *scores_ = nullptr, *grads_ = nullptr, *queries_ = nullptr,
    *grad_outputs_ = nullptr, *outputs_ = nullptr, *statistics_ = nullptr, *grad_queries_ = nullptr;
  std::int64_t key_head_ = 0;
  std::vector<QueryRows<T>> members_{};
};

/// Adds the parts of the gradient of the query in the order of the groups.
template <class T> void sum_groups(const Attention<T>& a, const AttentionGradient<T>& g,
                                   const BackwardPlan& plan, const T* partial) {
  const std::int64_t part = a.queries * a.depth;
  parallel_for(0, count_heads(a) * a.queries,
               ceil_div(1 << 15, std::max<std::int64_t>(1, plan.groups * a.depth)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t head = i / a.queries, row = i % a.queries;
                   const T* from = partial + head * plan.groups * part + row * a.depth;
                   T* const to = matrix_of(g.grad_query, a.heads, 1, head) + row * g.grad_query.row;
                   std::copy_n(from, a.depth, to);
                   for (std::int64_t group = 1; group < plan.groups; ++group) {
                     from += part;
                     for (std::int64_t c = 0; c < a.depth; ++c) to[c] += from[c];
                   }
                 }
               });
}

template <class T> void clear_grad_mask(const Attention<T>& a, const AttentionGradient<T>& g) {
  for (std::int64_t head = 0; head < count_heads(a); ++head)
    for (std::int64_t r = 0; r < a.queries; ++r)
      std::fill_n(matrix_of(g.grad_mask, a.heads, 1, head) + r * g.grad_mask.row, a.keys, T{0});
}

template <class T> void run_backward(const Attention<T>& a, const AttentionGradient<T>& g) {
  const BackwardPlan plan(a);
  // Tiles beyond the diagonal are not visited.
  if (g.grad_mask.data && a.is_causal) clear_grad_mask(a, g);
  Arrays<T> arrays;
  const bool splits = plan.groups > 1 && g.grad_query.data != nullptr;
  if (splits) arrays.add(count_heads(a) * plan.groups * a.queries, a.depth);
  const Scratch scratch(arrays.bytes());
  T* const partial = splits ? scratch.as<T>() : nullptr;
  const std::int64_t grain = task_grain(
      a.queries, ceil_div(a.keys, (a.is_causal ? 2 : 1) * plan.groups), a.group * 5 * a.depth);
  parallel_for(0, plan.key_heads * plan.groups, grain, [&](std::int64_t begin, std::int64_t end) {
    BackwardWorker<T> worker(a, g, plan, partial);
    for (std::int64_t task = begin; task < end; ++task)
      worker.run(task / plan.groups, task % plan.groups);
  });
  if (splits) sum_groups(a, g, plan, partial);
}

}  // namespace

void attention_backward(const Attention<float>& a, const AttentionGradient<float>& g) {
  run_backward(a, g);
}
void attention_backward(const Attention<double>& a, const AttentionGradient<double>& g) {
  run_backward(a, g);
}

}  // namespace taper::cpu
