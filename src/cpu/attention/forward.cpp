#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "cpu/attention/blocks.h"
#include "cpu/threads.h"

namespace taper::cpu {
namespace {

constexpr std::int64_t kBlockQueries = 64, kBlockKeys = 256;
/// Up to this number of queries, products read keys and values in place.
constexpr std::int64_t kFewQueries = 3;

/// Computes blocks of queries on one thread. Packed keys are kept for the blocks of a head.
template <class T> class ForwardWorker {
 public:
  ForwardWorker(const Attention<T>& a, const HeadMatrices<T>& output, const LogSums<T>& log_sums)
      : a_(a), output_(output), log_sums_(log_sums) {
    const std::int64_t rows = std::min(kBlockQueries, a.queries);
    const bool few = a.queries <= kFewQueries;
    packs_keys_ = !few || a.key.col != 1;
    copies_values_ = few ? a.value.col != 1 : !is_dense(a.value, a.value_depth);
    copies_queries_ = !is_dense(a.query, a.depth);
    Arrays<T> arrays;
    const auto panels = arrays.add(packs_keys_ ? round_to_panels(a.keys) : 0, a.depth);
    const auto values = arrays.add(copies_values_ ? a.keys : 0, a.value_depth);
    const auto queries = arrays.add(copies_queries_ ? rows : 0, a.depth);
    const auto scores = arrays.add(rows, score_stride());
    const auto sums = arrays.add(rows, a.value_depth);
    const auto statistics = arrays.add(3, kBlockQueries);
    memory_.emplace(arrays.bytes());
    T* const memory = memory_->template as<T>();
    panels_ = memory + panels, values_ = memory + values, queries_ = memory + queries;
    scores_ = memory + scores, sums_ = memory + sums;
    rows_ = {memory + statistics, memory + statistics + kBlockQueries,
             memory + statistics + 2 * kBlockQueries};
  }

  void run(std::int64_t head, std::int64_t block) {
    const std::int64_t first = block * kBlockQueries;
    const std::int64_t rows = std::min(kBlockQueries, a_.queries - first);
    const std::int64_t end = a_.is_causal ? std::min(a_.keys, first + rows) : a_.keys;
    select_key_head(head / a_.group);
    const T* query = matrix_of(a_.query, a_.heads, 1, head) + first * a_.query.row;
    Gemm<T> product{.m = rows, .k = a_.depth, .c = scores_, .c_row = score_stride()};
    product.a = query, product.a_row = a_.query.row, product.a_col = a_.query.col;
    if (copies_queries_) {
      copy_rows(query, a_.query.row, a_.query.col, rows, a_.depth, queries_);
      product.a = queries_, product.a_row = a_.depth, product.a_col = 1;
    }
    product.b_row = a_.key.col, product.b_col = a_.key.row;
    std::fill_n(rows_.max, rows, -std::numeric_limits<T>::infinity());
    std::fill_n(rows_.sum, rows, T{0});
    for (std::int64_t key = 0; key < end; key += kBlockKeys) {
      prepare_keys(key);
      // The columns of the last panel must be those that were packed.
      const std::int64_t columns = std::min(kBlockKeys, end - key);
      product.n = std::min(round_to_panels(columns), a_.keys - key);
      product.b = key_ + key * a_.key.row;
      product.panels = packs_keys_ ? panels_ + key * a_.depth : nullptr;
      gemm(product);
      softmax_tile(ScoreTile<T>{.scores = scores_,
                                .rows = rows,
                                .columns = columns,
                                .stride = score_stride(),
                                .scale = a_.scale,
                                .diagonal = a_.is_causal ? first - key + 1 : columns,
                                .mask = tile_mask(a_, head, first, key)},
                   rows_);
      if (key > 0)
        scale_rows(rows, a_.value_depth, rows_.rescale, sums_, a_.value_depth, sums_,
                   a_.value_depth);
      gemm(Gemm<T>{
          .m = rows,
          .n = a_.value_depth,
          .k = columns,
          .a = scores_,
          .a_row = score_stride(),
          .b = copies_values_ ? values_ + key * a_.value_depth : value_ + key * a_.value.row,
          .b_row = copies_values_ ? a_.value_depth : a_.value.row,
          .c = sums_,
          .c_row = a_.value_depth,
          .accumulate = key > 0});
    }
    store(head, first, rows);
  }

 private:
  std::int64_t score_stride() const { return std::min(kBlockKeys, round_to_panels(a_.keys)); }

  void select_key_head(std::int64_t head) {
    if (key_ && head == key_head_) return;
    key_head_ = head;
    key_ = matrix_of(a_.key, a_.heads, a_.group, head);
    value_ = matrix_of(a_.value, a_.heads, a_.group, head);
    prepared_ = 0;
  }

  /// Packs the block of keys and values that starts at `key`.
  void prepare_keys(std::int64_t key) {
    if (key < prepared_) return;
    prepared_ = key + kBlockKeys;
    const std::int64_t count = std::min(kBlockKeys, a_.keys - key);
    if (packs_keys_)
      gemm_pack(Gemm<T>{.n = count,
                        .k = a_.depth,
                        .b = key_ + key * a_.key.row,
                        .b_row = a_.key.col,
                        .b_col = a_.key.row},
                panels_ + key * a_.depth);
    if (copies_values_)
      copy_rows(value_ + key * a_.value.row, a_.value.row, a_.value.col, count, a_.value_depth,
                values_ + key * a_.value_depth);
  }

  void store(std::int64_t head, std::int64_t first, std::int64_t rows) {
    const bool excludes_keys = a_.mask.data || a_.is_causal;
    finish_softmax(rows, excludes_keys ? T{0} : std::numeric_limits<T>::quiet_NaN(), rows_);
    scale_rows(rows, a_.value_depth, rows_.sum, sums_, a_.value_depth,
               matrix_of(output_, a_.heads, 1, head) + first * output_.row, output_.row);
    for (const auto& [to, from] :
         {std::pair(&log_sums_.maximum, rows_.max), std::pair(&log_sums_.log_sum, rows_.rescale)}) {
      T* const out = matrix_of(*to, a_.heads, 1, head) + first * to->row;
      for (std::int64_t r = 0; r < rows; ++r) out[r * to->row] = from[r];
    }
  }

  const Attention<T>& a_;
  const HeadMatrices<T>& output_;
  const LogSums<T>& log_sums_;
  bool packs_keys_ = false, copies_values_ = false, copies_queries_ = false;
  std::optional<Scratch> memory_{};
  T *panels_ = nullptr, *values_ = nullptr, *queries_ = nullptr, *scores_ = nullptr,
    *sums_ = nullptr;
  SoftmaxRows<T> rows_{};
  std::int64_t key_head_ = 0, prepared_ = 0;
  const T *key_ = nullptr, *value_ = nullptr;
};

template <class T>
void run_forward(const Attention<T>& a, const HeadMatrices<T>& output, const LogSums<T>& log_sums) {
  const std::int64_t blocks = ceil_div(a.queries, kBlockQueries);
  const std::int64_t grain =
      task_grain(std::min(a.queries, kBlockQueries), a.is_causal ? ceil_div(a.keys, 2) : a.keys,
                 a.depth + a.value_depth);
  parallel_for(0, count_heads(a) * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    ForwardWorker<T> worker(a, output, log_sums);
    for (std::int64_t task = begin; task < end; ++task) {
      // Causal blocks have more keys the later they are. Alternating between the first and the last
      // remaining block distributes the work of a head evenly over the range of tasks.
      const std::int64_t i = task % blocks;
      worker.run(task / blocks, i % 2 == 0 ? i / 2 : blocks - 1 - i / 2);
    }
  });
}

}  // namespace

void attention_forward(const Attention<float>& a, const HeadMatrices<float>& output,
                       const LogSums<float>& log_sums) {
  run_forward(a, output, log_sums);
}
void attention_forward(const Attention<double>& a, const HeadMatrices<double>& output,
                       const LogSums<double>& log_sums) {
  run_forward(a, output, log_sums);
}

}  // namespace taper::cpu
