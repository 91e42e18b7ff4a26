// Rank correlation coefficients of Spearman and Kendall.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.h"

#include "metrics/regression/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/metrics/regression/correlation.h"

namespace taper::metrics {
namespace {

/// Returns the columns of `(N)` or `(N, K)`.
std::vector<std::vector<double>> columns(const Tensor& t) {
  std::vector<std::vector<double>> result;
  for (const Tensor& column : (t.dim() == 1 ? t.unsqueeze(1) : t).unbind(1))
    result.push_back(to_doubles(column));
  return result;
}

/// Calls f(begin, end) for each run of equal values of the sorted range `order`.
template <class F>
void for_each_run(const std::vector<double>& x, const std::vector<std::size_t>& order, F&& f) {
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    if (end == begin) ++end;  // NaN is unequal to itself
    f(begin, end);
  }
}

std::vector<std::size_t> sorted_order(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // NaN last, so that the comparison is an order.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(x[b]) ? !std::isnan(x[a]) : x[a] < x[b];
  });
  return order;
}

Tensor ranks(const std::vector<double>& x) {
  const std::vector<std::size_t> order = sorted_order(x);
  std::vector<float> result(x.size());
  for_each_run(x, order, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result[order[i]] = static_cast<float>(static_cast<double>(begin + end + 1) / 2);
  });
  return tensor(result);
}

/// Pairs of equal values, and the sums n (n - 1) (n - 2) and n (n - 1) (2 n + 5) of the runs of n.
struct Ties {
  double pairs = 0, cubic = 0, weighted = 0;
  double distinct = 0;
};

Ties ties_of(const std::vector<double>& x) {
  Ties ties;
  for_each_run(x, sorted_order(x), [&](std::size_t begin, std::size_t end) {
    const double n = static_cast<double>(end - begin);
    ties.distinct += 1;
    ties.pairs += n * (n - 1) / 2;
    ties.cubic += n * (n - 1) * (n - 2);
    ties.weighted += n * (n - 1) * (2 * n + 5);
  });
  return ties;
}

struct PairCounts {
  double concordant = 0, discordant = 0;
};

PairCounts count_pairs(const std::vector<double>& x, const std::vector<double>& y) {
  PairCounts counts;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      const bool up = x[i]<x[j], down = x[i]> x[j];
      const bool y_up = y[i]<y[j], y_down = y[i]> y[j];
      if ((up && y_up) || (down && y_down)) counts.concordant += 1;
      if ((up && y_down) || (down && y_up)) counts.discordant += 1;
    }
  return counts;
}

double coefficient(const std::string& variant, double n, const PairCounts& pairs, const Ties& x,
                   const Ties& y) {
  const double excess = pairs.concordant - pairs.discordant;
  if (variant == "a") return excess / (pairs.concordant + pairs.discordant);
  const double total = n * (n - 1) / 2;
  if (variant == "b") return excess / std::sqrt((total - x.pairs) * (total - y.pairs));
  const double classes = std::min(x.distinct, y.distinct);
  return 2 * excess / ((classes - 1) / classes * n * n);
}

/// Returns the p value of the hypothesis that there is no correlation.
double p_value(const KendallRankCorrCoefOptions& options, double n, const PairCounts& pairs,
               const Ties& x, const Ties& y) {
  const double excess = pairs.concordant - pairs.discordant;
  const double base = n * (n - 1) * (2 * n + 5);
  double t = 0;
  if (options.variant == "a") {
    t = 3 * excess / std::sqrt(base / 2);
  } else {
    const double m = n * (n - 1);
    t = excess / std::sqrt((base - x.weighted - y.weighted) / 18 + 2 * x.pairs * y.pairs / m +
                           x.cubic * y.cubic / (9 * m * (n - 2)));
  }
  if (options.alternative == "two-sided") t = std::abs(t);
  if (options.alternative != "less") t = -t;
  const double p = 0.5 * std::erfc(-t / std::sqrt(2.0));
  return options.alternative == "two-sided" ? 2 * p : p;
}

}  // namespace

SpearmanCorrCoef::SpearmanCorrCoef(const RegressionOptions& options)
    : num_outputs_(options.num_outputs) {
  check_at_least(type_name(), "num_outputs", num_outputs_, 1);
  add_list("preds");
  add_list("target");
}

void SpearmanCorrCoef::update_state(const Tensor& preds, const Tensor& target) {
  check_floating(type_name(), "preds", preds);
  check_floating(type_name(), "target", target);
  check_columns(type_name(), preds, target, num_outputs_);
  append("preds", preds.to(default_dtype()));
  append("target", target.to(default_dtype()));
}

Tensor SpearmanCorrCoef::compute_score() const {
  const auto deviations = [&](const char* name) {
    std::vector<Tensor> parts;
    for (const auto& column : columns(concatenated(name))) parts.push_back(ranks(column));
    const Tensor all = stack(parts, 1);
    return all - all.mean(Dims{0});
  };
  const Tensor p = deviations("preds"), t = deviations("target");
  const auto spread = [](const Tensor& d) { return d.square().mean(Dims{0}).sqrt(); };
  return ((p * t).mean(Dims{0}) / (spread(p) * spread(t) + 1e-6)).clamp(-1, 1);
}

KendallRankCorrCoef::KendallRankCorrCoef(const KendallRankCorrCoefOptions& options)
    : options_(options) {
  check_choice(type_name(), "variant", options.variant, {"a", "b", "c"});
  check_choice(type_name(), "alternative", options.alternative, {"two-sided", "less", "greater"});
  check_at_least(type_name(), "num_outputs", options.num_outputs, 1);
  add_list("preds");
  add_list("target");
}

void KendallRankCorrCoef::update_state(const Tensor& preds, const Tensor& target) {
  check_columns(type_name(), preds, target, options_.num_outputs);
  append("preds", preds);
  append("target", target);
}

Value KendallRankCorrCoef::compute_state() const {
  const DType input_dtype = list("preds").empty() ? DType::f32 : list("preds")[0].dtype();
  const auto preds = columns(concatenated("preds")), targets = columns(concatenated("target"));
  std::vector<double> taus, p_values;
  for (std::size_t k = 0; k < preds.size(); ++k) {
    const auto n = static_cast<double>(preds[k].size());
    const PairCounts pairs = count_pairs(preds[k], targets[k]);
    const Ties x = ties_of(preds[k]), y = ties_of(targets[k]);
    const double tau = coefficient(options_.variant, n, pairs, x, y);
    taus.push_back(std::isnan(tau) ? tau : std::clamp(tau, -1.0, 1.0));
    p_values.push_back(p_value(options_, n, pairs, x, y));
  }
  // The counts of pairs are integers; only variant "c" computes in the dtype of the input.
  const Tensor tau = tensor(taus).to(
      options_.variant == "c" && is_floating_point(input_dtype) ? input_dtype : DType::f32);
  if (!options_.t_test) return tau;
  return Value::tuple({tau, tensor(p_values).to(DType::f32)});
}

}  // namespace taper::metrics
