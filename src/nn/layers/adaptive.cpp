#include "taper/nn/adaptive.h"

#include <cmath>

#include "core/check.h"
#include "nn/registry/schema.h"
#include "taper/core/factory.h"
#include "taper/nn/sequential.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(AdaptiveLogSoftmaxWithLoss, head, tail)

namespace {

/// Returns the cutoffs, followed by the number of classes.
Shape checked_cutoffs(const Shape& cutoffs, std::int64_t classes) {
  if (cutoffs.empty())
    fail<ValueError>(
        "AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of length larger "
        "than 0");
  Shape all = cutoffs;
  all.push_back(classes);
  std::int64_t before = 0;
  for (const std::int64_t cutoff : all) {
    if (cutoff <= before)
      fail<ValueError>(
          "AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of unique, positive integers "
          "sorted in an increasing order, where each value is between 1 and n_classes-1: got {} "
          "for {} classes",
          cutoffs, classes);
    before = cutoff;
  }
  return all;
}

}  // namespace

AdaptiveLogSoftmaxWithLoss::AdaptiveLogSoftmaxWithLoss(IntArg features, IntArg classes,
                                                       const Shape& given_cutoffs,
                                                       const AdaptiveLogSoftmaxWithLossOptions& o)
    : in_features(features),
      n_classes(classes),
      cutoffs(checked_cutoffs(given_cutoffs, classes)),
      div_value(o.div_value),
      head_bias(o.head_bias),
      shortlist_size(cutoffs.front()),
      n_clusters(static_cast<std::int64_t>(cutoffs.size()) - 1),
      head_size(shortlist_size + n_clusters),
      head(features, head_size, {.bias = o.head_bias, .dtype = o.dtype, .device = o.device}) {
  const LinearOptions without_bias{.bias = false, .dtype = o.dtype, .device = o.device};
  for (std::size_t i = 0; i + 1 < cutoffs.size(); ++i) {
    const double hidden_size = std::floor(static_cast<double>(in_features) /
                                          std::pow(div_value, static_cast<double>(i + 1)));
    if (!(hidden_size >= 0 && hidden_size <= static_cast<double>(1LL << 53)))
      fail<ValueError>(
          "AdaptiveLogSoftmaxWithLoss: div_value must be positive and not too small: got {}",
          python_repr(div_value));
    const auto hidden = static_cast<std::int64_t>(hidden_size);
    tail.append(Sequential{Linear(in_features, hidden, without_bias),
                           Linear(hidden, cutoffs[i + 1] - cutoffs[i], without_bias)});
  }
}

void AdaptiveLogSoftmaxWithLoss::reset_parameters() {
  head.reset_parameters();
  for (std::size_t i = 0; i < tail.size(); ++i) {
    auto& projection = *tail[static_cast<std::int64_t>(i)].as<Sequential>();
    for (std::int64_t layer = 0; layer < 2; ++layer)
      projection[layer].as<Linear>()->reset_parameters();
  }
}

Tensor AdaptiveLogSoftmaxWithLoss::cluster_log_prob(std::int64_t cluster,
                                                    const Tensor& input) const {
  return tail.shared(cluster)->call({input}).as_tensor().log_softmax(1);
}

std::pair<Tensor, Tensor> AdaptiveLogSoftmaxWithLoss::forward(const Tensor& given_input,
                                                              const Tensor& given_target) const {
  check_called();
  if (given_target.dim() > 1)
    fail<ShapeError>(
        "AdaptiveLogSoftmaxWithLoss: 0D or 1D target tensor expected, multi-target not supported: "
        "got shape {}",
        given_target.shape());
  if (given_input.dim() != given_target.dim() + 1)
    fail<ShapeError>(
        "AdaptiveLogSoftmaxWithLoss: {}D target tensor expects {}D input tensors, but found inputs "
        "with size {}",
        given_target.dim(), given_target.dim() + 1, given_input.shape());
  const bool is_batch = given_target.dim() == 1;
  const Tensor input = is_batch ? given_input : given_input.unsqueeze(0);
  const Tensor target = is_batch ? given_target : given_target.unsqueeze(0);
  const std::int64_t samples = target.size(0);
  if (input.size(0) != samples)
    fail<ShapeError>(
        "AdaptiveLogSoftmaxWithLoss: Input and target should have the same size in the batch "
        "dimension: got {} and {}",
        input.shape(), target.shape());
  if (target.dtype() != DType::i64)
    fail<DTypeError>("AdaptiveLogSoftmaxWithLoss: expected a target of dtype int64, got {}",
                     target.dtype());
  if ((target < 0).logical_or(target >= n_classes).any().item<bool>())
    fail<IndexError>(
        "AdaptiveLogSoftmaxWithLoss: Target values should be in [0, {}], but values in range [{}, "
        "{}] were found",
        n_classes - 1, target.min().item<std::int64_t>(), target.max().item<std::int64_t>());

  // Log-probabilities within the clusters, and the entry of the head of each sample.
  Tensor output = zeros({samples}, {.dtype = input.dtype(), .device = input.device()});
  const Tensor entries = target.clone();
  for (std::int64_t i = 0; i < n_clusters; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Tensor is_member = (target >= cutoffs[at]).logical_and(target < cutoffs[at + 1]);
    const Tensor rows = is_member.nonzero().squeeze(1);
    if (rows.numel() == 0) continue;
    const Tensor relative = target.index_select(0, rows) - cutoffs[at];
    const Tensor log_probs = cluster_log_prob(i, input.index_select(0, rows));
    entries.index_fill_(0, rows, shortlist_size + i);
    output = output.index_copy(0, rows, log_probs.gather(1, relative.unsqueeze(1)).squeeze(1));
  }
  const Tensor head_log_probs = head(input).log_softmax(1);
  output = output + head_log_probs.gather(1, entries.unsqueeze(1)).squeeze(1);
  const Tensor loss = (-output).mean();
  return {is_batch ? output : output.squeeze(0), loss};
}

Tensor AdaptiveLogSoftmaxWithLoss::full_log_prob(const Tensor& input,
                                                 const Tensor& head_output) const {
  const Tensor head_log_probs = head_output.log_softmax(1);
  std::vector<Tensor> parts{head_log_probs.narrow(1, 0, shortlist_size)};
  for (std::int64_t i = 0; i < n_clusters; ++i)
    parts.push_back(cluster_log_prob(i, input) + head_log_probs.narrow(1, shortlist_size + i, 1));
  return cat(parts, 1);
}

Tensor AdaptiveLogSoftmaxWithLoss::log_prob(const Tensor& input) const {
  return full_log_prob(input, head(input));
}

Tensor AdaptiveLogSoftmaxWithLoss::predict(const Tensor& input) const {
  const Tensor head_output = head(input);
  const Tensor output = head_output.argmax(1);
  const Tensor rows = (output >= shortlist_size).nonzero().squeeze(1);
  if (rows.numel() == 0) return output;
  const Tensor log_probs =
      full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows));
  return output.index_copy(0, rows, log_probs.argmax(1));
}

const ModuleSchema& module_schema(const AdaptiveLogSoftmaxWithLoss*) {
  static constexpr ModuleSchema schema = layer_schema<AdaptiveLogSoftmaxWithLoss>(
      "AdaptiveLogSoftmaxWithLoss", "adaptive",
      "in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None",
      [](const Arguments& a) {
        return AdaptiveLogSoftmaxWithLoss(a.integer("in_features"), a.integer("n_classes"),
                                          a.sizes("cutoffs"),
                                          {.div_value = a.number("div_value"),
                                           .head_bias = a.flag("head_bias"),
                                           .dtype = a.dtype(),
                                           .device = a.device()});
      },
      [](const AdaptiveLogSoftmaxWithLoss& m) -> Values {
        return {m.in_features,
                m.n_classes,
                Value::list(Values(m.cutoffs.begin(), m.cutoffs.end() - 1)),
                m.div_value,
                m.head_bias,
                m.head.weight.device(),
                m.head.weight.dtype()};
      });
  return schema;
}

}  // namespace taper::nn
