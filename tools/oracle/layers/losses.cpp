#include "layers/table.h"
#include "taper/nn/loss.h"

namespace taper::oracle {
namespace {

Built cross_entropy(Arguments& a) {
  nn::CrossEntropyLossOptions o;
  o.weight = a.optional_tensor("weight");
  o.ignore_index = a.integer("ignore_index", o.ignore_index);
  o.reduction = a.text("reduction", o.reduction);
  o.label_smoothing = a.number("label_smoothing", o.label_smoothing);
  a.done();
  return std::make_shared<nn::CrossEntropyLoss>(o);
}

Built nll(Arguments& a) {
  nn::NLLLossOptions o;
  o.weight = a.optional_tensor("weight");
  o.ignore_index = a.integer("ignore_index", o.ignore_index);
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return std::make_shared<nn::NLLLoss>(o);
}

template <class Loss> Built reduced(Arguments& a) {
  nn::ReductionOptions o;
  o.reduction = a.text("reduction", o.reduction);
  a.done();
  return std::make_shared<Loss>(o);
}

Built smooth_l1(Arguments& a) {
  nn::SmoothL1LossOptions o;
  o.reduction = a.text("reduction", o.reduction);
  o.beta = a.number("beta", o.beta);
  a.done();
  return std::make_shared<nn::SmoothL1Loss>(o);
}

}  // namespace

void add_losses(LayerTable& table) {
  table["CrossEntropyLoss"] = cross_entropy;
  table["L1Loss"] = reduced<nn::L1Loss>;
  table["MSELoss"] = reduced<nn::MSELoss>;
  table["NLLLoss"] = nll;
  table["SmoothL1Loss"] = smooth_l1;
}

}  // namespace taper::oracle
