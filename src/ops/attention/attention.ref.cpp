#include <cmath>
#include <limits>
#include <vector>

#include "ops/attention/attention.h"
#include "ops/kernel/reference.h"

namespace taper {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// DoubleMatrices of an operand in double, one per head, row-major.
class DoubleMatrices {
 public:
  /// The elements of a view. Without columns, each head is a vector. `group` is the number of heads
  /// of the query per head of the view.
  explicit DoubleMatrices(const View& v, std::int64_t group = 1, bool columns = true)
      : view_(v), group_(group) {
    if (!v.shape) return;
    const Shape& s = *v.shape;
    columns_ = columns ? s.back() : 1;
    rows_ = columns ? s[s.size() - 2] : s.back();
    values_.reserve(static_cast<std::size_t>(v.numel));
    kernel::walk<1>(s, {&v}, [&](const std::array<std::int64_t, 1>& at) {
      values_.push_back(kernel::load<double>(v.data + at[0], v.dtype));
    });
  }
  /// An output, initially zero. `store` writes the elements to the view.
  static DoubleMatrices zeros(const View& v, std::int64_t group = 1, bool columns = true) {
    DoubleMatrices m(v, group, columns);
    for (double& x : m.values_) x = 0;
    return m;
  }
  bool given() const { return view_.shape != nullptr; }
  double& operator()(std::int64_t head, std::int64_t i, std::int64_t j = 0) {
    return values_[static_cast<std::size_t>((head / group_ * rows_ + i) * columns_ + j)];
  }
  void add(std::int64_t head, std::int64_t i, std::int64_t j, double value) {
    if (given()) (*this)(head, i, j) += value;
  }
  void store() const {
    if (!given()) return;
    const double* from = values_.data();
    kernel::walk<1>(*view_.shape, {&view_}, [&](const std::array<std::int64_t, 1>& at) {
      kernel::store(view_.data + at[0], view_.dtype, *from++);
    });
  }

 private:
  View view_;
  std::int64_t group_, rows_ = 0, columns_ = 0;
  std::vector<double> values_{};
};

/// Operands of both ops and the scores of their heads.
struct Problem {
  std::int64_t heads = 1, group, queries, keys, depth, value_depth;
  bool is_causal, excludes_keys, is_bool_mask = false;
  double scale;
  DoubleMatrices query, key, value, mask;
  Shape scores, mask_strides{};

  template <class O> Problem(const O& o, const KernelArgs& k, std::size_t first, int mask_at)
      : Problem(o.is_causal, o.scale, k.in[first], k.in[first + 1], k.in[first + 2],
                k.has(mask_at) ? &k.in[static_cast<std::size_t>(mask_at)] : nullptr) {}
  Problem(bool causal, const std::optional<double>& given_scale, const View& q, const View& k,
          const View& v, const View* given_mask)
      : group(heads_per_key_head(*q.shape, *k.shape)),
        queries((*q.shape)[q.shape->size() - 2]),
        keys((*k.shape)[k.shape->size() - 2]),
        depth(q.shape->back()),
        value_depth(v.shape->back()),
        is_causal(causal),
        excludes_keys(causal || given_mask),
        scale(attention_scale(given_scale, depth)),
        query(q),
        key(k, group),
        value(v, group),
        mask(View()),
        scores(*q.shape) {
    for (std::size_t d = 0; d + 2 < q.shape->size(); ++d) heads *= (*q.shape)[d];
    if (!given_mask) return;
    scores[scores.size() - 1] = keys;
    mask = DoubleMatrices(expand_view(*given_mask, scores, mask_strides));
    is_bool_mask = given_mask->dtype == DType::bool_;
  }
  Problem(const Problem&) = delete;

  double score(std::int64_t head, std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (std::int64_t e = 0; e < depth; ++e) sum += query(head, i, e) * key(head, j, e);
    sum *= scale;
    if (mask.given()) {
      const double term = mask(head, i, j);
      sum += is_bool_mask ? (term != 0 ? 0 : -kInfinity) : term;
    }
    return is_causal && j > i ? -kInfinity : sum;
  }
};

}  // namespace

template <> void reference_kernel(const ScaledDotProductAttention& o, const KernelArgs& k) {
  Problem p(o, k, 0, 3);
  DoubleMatrices output = DoubleMatrices::zeros(k.out[0]),
                 maximum = DoubleMatrices::zeros(k.out[1], 1, false),
                 log_sum = DoubleMatrices::zeros(k.out[2], 1, false);
  std::vector<double> weights(static_cast<std::size_t>(p.keys));
  for (std::int64_t head = 0; head < p.heads; ++head)
    for (std::int64_t i = 0; i < p.queries; ++i) {
      double max = -kInfinity, sum = 0;
      for (std::int64_t j = 0; j < p.keys; ++j) {
        const double score = p.score(head, i, j);
        weights[static_cast<std::size_t>(j)] = score;
        max = std::fmax(max, score);
      }
      maximum(head, i) = max;
      // The weights of a query without keys are 0. Without a mask, they are NaN as in softmax.
      if (max == -kInfinity && p.excludes_keys) max = 0;
      for (double& w : weights) sum += w = std::exp(w - max);
      if (sum != 0) log_sum(head, i) = std::log(sum);
      if (sum == 0) continue;
      for (std::int64_t e = 0; e < p.value_depth; ++e)
        for (std::int64_t j = 0; j < p.keys; ++j)
          output(head, i, e) += weights[static_cast<std::size_t>(j)] / sum * p.value(head, j, e);
    }
  for (const DoubleMatrices* m : {&output, &maximum, &log_sum}) m->store();
}

template <> void reference_kernel(const ScaledDotProductAttentionBackward& o, const KernelArgs& k) {
  Problem p(o, k, 1, 8);
  DoubleMatrices grad(k.in[0]), output(k.in[4]), maximum(k.in[5], 1, false),
      log_sum(k.in[6], 1, false), grad_log_sum(k.has(7) ? k.in[7] : View(), 1, false);
  DoubleMatrices dq = DoubleMatrices::zeros(k.out[0]),
                 dk = DoubleMatrices::zeros(k.out[1], p.group),
                 dv = DoubleMatrices::zeros(k.out[2], p.group),
                 dm = DoubleMatrices::zeros(k.out[3]);
  for (std::int64_t head = 0; head < p.heads; ++head)
    for (std::int64_t i = 0; i < p.queries; ++i) {
      double delta = grad_log_sum.given() ? -grad_log_sum(head, i) : 0;
      for (std::int64_t e = 0; e < p.value_depth; ++e)
        delta += grad(head, i, e) * output(head, i, e);
      double max = maximum(head, i);
      if (max == -kInfinity && p.excludes_keys) max = 0;
      for (std::int64_t j = 0; j < p.keys; ++j) {
        const double weight = std::exp((p.score(head, i, j) - max) - log_sum(head, i));
        double slope = -delta;
        for (std::int64_t e = 0; e < p.value_depth; ++e) {
          slope += grad(head, i, e) * p.value(head, j, e);
          dv.add(head, j, e, weight * grad(head, i, e));
        }
        slope *= weight;
        dm.add(head, i, j, slope);
        for (std::int64_t e = 0; e < p.depth; ++e) {
          dq.add(head, i, e, p.scale * slope * p.key(head, j, e));
          dk.add(head, j, e, p.scale * slope * p.query(head, i, e));
        }
      }
    }
  for (const DoubleMatrices* m : {&dq, &dk, &dv, &dm}) m->store();
}

}  // namespace taper
