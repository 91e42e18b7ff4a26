// Losses of elements, with a margin, and of triplets.
#include "functions/table.h"
#include "taper/core/factory.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

Value call_binary_cross_entropy(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::optional<Tensor> weight = a.optional_tensor("weight");
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::binary_cross_entropy(x, target, weight, reduction);
}

Value call_binary_cross_entropy_with_logits(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::optional<Tensor> weight = a.optional_tensor("weight");
  const std::string reduction = a.text("reduction", "mean");
  const std::optional<Tensor> pos_weight = a.optional_tensor("pos_weight");
  a.done();
  return F::binary_cross_entropy_with_logits(x, target, weight, reduction, pos_weight);
}

Value call_huber_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::string reduction = a.text("reduction", "mean");
  const double delta = a.number("delta", 1.0);
  const std::optional<Tensor> weight = a.optional_tensor("weight");
  a.done();
  return F::huber_loss(x, target, reduction, delta, weight);
}

Value call_kl_div(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::string reduction = a.text("reduction", "mean");
  const bool log_target = a.boolean("log_target", false);
  a.done();
  return F::kl_div(x, target, reduction, log_target);
}

Value call_poisson_nll_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const bool log_input = a.boolean("log_input", true), full = a.boolean("full", false);
  const double eps = a.number("eps", 1e-8);
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::poisson_nll_loss(x, target, log_input, full, eps, reduction);
}

Value call_gaussian_nll_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target"), var = a.tensor("var");
  const bool full = a.boolean("full", false);
  const double eps = a.number("eps", 1e-6);
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::gaussian_nll_loss(x, target, var, full, eps, reduction);
}

template <Tensor (*function)(const Tensor&, const Tensor&, const std::string&)>
Value reduced(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return function(x, target, reduction);
}

Value call_hinge_embedding_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const double margin = a.number("margin", 1.0);
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::hinge_embedding_loss(x, target, margin, reduction);
}

template <Tensor (*function)(const Tensor&, const Tensor&, const Tensor&, FloatArg,
                             const std::string&)>
Value of_pairs(Arguments& a) {
  const Tensor x1 = a.tensor("input1"), x2 = a.tensor("input2"), target = a.tensor("target");
  const double margin = a.number("margin", 0.0);
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return function(x1, x2, target, margin, reduction);
}

Value call_multilabel_soft_margin_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::optional<Tensor> weight = a.optional_tensor("weight");
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::multilabel_soft_margin_loss(x, target, weight, reduction);
}

Value call_multi_margin_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  const std::int64_t p = a.integer("p", 1);
  const double margin = a.number("margin", 1.0);
  const std::optional<Tensor> weight = a.optional_tensor("weight");
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::multi_margin_loss(x, target, p, margin, weight, reduction);
}

Value call_triplet_margin_loss(Arguments& a) {
  const Tensor anchor = a.tensor("anchor"), positive = a.tensor("positive"),
               negative = a.tensor("negative");
  const double margin = a.number("margin", 1.0), p = a.number("p", 2.0),
               eps = a.number("eps", 1e-6);
  const bool swap = a.boolean("swap", false);
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction);
}

Value call_triplet_margin_with_distance_loss(Arguments& a) {
  const Tensor anchor = a.tensor("anchor"), positive = a.tensor("positive"),
               negative = a.tensor("negative");
  const double margin = a.number("margin", 1.0);
  const bool swap = a.boolean("swap", false);
  const std::string reduction = a.text("reduction", "mean");
  a.done();
  return F::triplet_margin_with_distance_loss(
      anchor, positive, negative, {.margin = margin, .swap = swap, .reduction = reduction});
}

Value call_ctc_loss(Arguments& a) {
  const auto lengths = [&](const char* name) {
    const Value value = a.value(name);
    if (value.is_tensor()) return value.as_tensor();
    std::vector<std::int64_t> list;
    for (const Value& length : value.as_sequence()) list.push_back(length.as_int());
    return tensor(list);
  };
  const Tensor log_probs = a.tensor("log_probs"), targets = a.tensor("targets"),
               input_lengths = lengths("input_lengths"), target_lengths = lengths("target_lengths");
  const std::int64_t blank = a.integer("blank", 0);
  const std::string reduction = a.text("reduction", "mean");
  const bool zero_infinity = a.boolean("zero_infinity", false);
  a.done();
  return F::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction,
                     zero_infinity);
}

}  // namespace

void add_elementwise_losses(FunctionTable& table) {
  table["F.binary_cross_entropy"] = call_binary_cross_entropy;
  table["F.binary_cross_entropy_with_logits"] = call_binary_cross_entropy_with_logits;
  table["F.huber_loss"] = call_huber_loss;
  table["F.kl_div"] = call_kl_div;
  table["F.poisson_nll_loss"] = call_poisson_nll_loss;
  table["F.gaussian_nll_loss"] = call_gaussian_nll_loss;
  table["F.soft_margin_loss"] = reduced<F::soft_margin_loss>;
  table["F.ctc_loss"] = call_ctc_loss;
  table["F.hinge_embedding_loss"] = call_hinge_embedding_loss;
  table["F.margin_ranking_loss"] = of_pairs<F::margin_ranking_loss>;
  table["F.cosine_embedding_loss"] = of_pairs<F::cosine_embedding_loss>;
  table["F.multilabel_margin_loss"] = reduced<F::multilabel_margin_loss>;
  table["F.multilabel_soft_margin_loss"] = call_multilabel_soft_margin_loss;
  table["F.multi_margin_loss"] = call_multi_margin_loss;
  table["F.triplet_margin_loss"] = call_triplet_margin_loss;
  table["F.triplet_margin_with_distance_loss"] = call_triplet_margin_with_distance_loss;
}

}  // namespace taper::oracle
