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
  F::BinaryCrossEntropyFuncOptions o;
  o.weight = a.optional_tensor("weight");
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::binary_cross_entropy(x, target, o);
}

Value call_binary_cross_entropy_with_logits(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::BinaryCrossEntropyWithLogitsFuncOptions o;
  o.weight = a.optional_tensor("weight");
  o.reduction = a.text("reduction", o.reduction);
  o.pos_weight = a.optional_tensor("pos_weight");
  a.done();
  return F::binary_cross_entropy_with_logits(x, target, o);
}

Value call_huber_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::HuberLossFuncOptions o;
  o.reduction = a.text("reduction", o.reduction);
  o.delta = a.number("delta", o.delta);
  o.weight = a.optional_tensor("weight");
  a.done();
  return F::huber_loss(x, target, o);
}

Value call_kl_div(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::KLDivFuncOptions o;
  o.reduction = a.text("reduction", o.reduction);
  o.log_target = a.boolean("log_target", o.log_target);
  a.done();
  return F::kl_div(x, target, o);
}

Value call_poisson_nll_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::PoissonNLLLossFuncOptions o;
  o.log_input = a.boolean("log_input", o.log_input);
  o.full = a.boolean("full", o.full);
  o.eps = a.number("eps", o.eps);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::poisson_nll_loss(x, target, o);
}

Value call_gaussian_nll_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target"), var = a.tensor("var");
  F::GaussianNLLLossFuncOptions o;
  o.full = a.boolean("full", o.full);
  o.eps = a.number("eps", o.eps);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::gaussian_nll_loss(x, target, var, o);
}

template <class Options, Tensor (*function)(const Tensor&, const Tensor&, const Options&)>
Value reduced(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  Options o;
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return function(x, target, o);
}

Value call_hinge_embedding_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::HingeEmbeddingLossFuncOptions o;
  o.margin = a.number("margin", o.margin);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::hinge_embedding_loss(x, target, o);
}

template <Tensor (*function)(const Tensor&, const Tensor&, const Tensor&,
                             const F::MarginRankingLossFuncOptions&)>
Value of_pairs(Arguments& a) {
  const Tensor x1 = a.tensor("input1"), x2 = a.tensor("input2"), target = a.tensor("target");
  F::MarginRankingLossFuncOptions o;
  o.margin = a.number("margin", o.margin);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return function(x1, x2, target, o);
}

Value call_multilabel_soft_margin_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::MultilabelSoftMarginLossFuncOptions o;
  o.weight = a.optional_tensor("weight");
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::multilabel_soft_margin_loss(x, target, o);
}

Value call_multi_margin_loss(Arguments& a) {
  const Tensor x = a.tensor("input"), target = a.tensor("target");
  F::MultiMarginLossFuncOptions o;
  o.p = a.integer("p", o.p);
  o.margin = a.number("margin", o.margin);
  o.weight = a.optional_tensor("weight");
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::multi_margin_loss(x, target, o);
}

Value call_triplet_margin_loss(Arguments& a) {
  const Tensor anchor = a.tensor("anchor"), positive = a.tensor("positive"),
               negative = a.tensor("negative");
  F::TripletMarginLossFuncOptions o;
  o.margin = a.number("margin", o.margin);
  o.p = a.number("p", o.p);
  o.eps = a.number("eps", o.eps);
  o.swap = a.boolean("swap", o.swap);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::triplet_margin_loss(anchor, positive, negative, o);
}

Value call_triplet_margin_with_distance_loss(Arguments& a) {
  const Tensor anchor = a.tensor("anchor"), positive = a.tensor("positive"),
               negative = a.tensor("negative");
  F::TripletMarginWithDistanceLossFuncOptions o;
  o.margin = a.number("margin", o.margin);
  o.swap = a.boolean("swap", o.swap);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return F::triplet_margin_with_distance_loss(anchor, positive, negative, o);
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
  F::CTCLossFuncOptions o;
  o.blank = a.integer("blank", o.blank);
  o.reduction = a.text("reduction", o.reduction);
  o.zero_infinity = a.boolean("zero_infinity", o.zero_infinity);
  a.done();
  return F::ctc_loss(log_probs, targets, input_lengths, target_lengths, o);
}

}  // namespace

void add_elementwise_losses(FunctionTable& table) {
  table["F.binary_cross_entropy"] = call_binary_cross_entropy;
  table["F.binary_cross_entropy_with_logits"] = call_binary_cross_entropy_with_logits;
  table["F.huber_loss"] = call_huber_loss;
  table["F.kl_div"] = call_kl_div;
  table["F.poisson_nll_loss"] = call_poisson_nll_loss;
  table["F.gaussian_nll_loss"] = call_gaussian_nll_loss;
  table["F.soft_margin_loss"] = reduced<F::SoftMarginLossFuncOptions, F::soft_margin_loss>;
  table["F.ctc_loss"] = call_ctc_loss;
  table["F.hinge_embedding_loss"] = call_hinge_embedding_loss;
  table["F.margin_ranking_loss"] = of_pairs<F::margin_ranking_loss>;
  table["F.cosine_embedding_loss"] = of_pairs<F::cosine_embedding_loss>;
  table["F.multilabel_margin_loss"] =
      reduced<F::MultilabelMarginLossFuncOptions, F::multilabel_margin_loss>;
  table["F.multilabel_soft_margin_loss"] = call_multilabel_soft_margin_loss;
  table["F.multi_margin_loss"] = call_multi_margin_loss;
  table["F.triplet_margin_loss"] = call_triplet_margin_loss;
  table["F.triplet_margin_with_distance_loss"] = call_triplet_margin_with_distance_loss;
}

}  // namespace taper::oracle
