#include "huggingface/initializer.h"

#include <algorithm>

#include "taper/autograd/grad_mode.h"
#include "taper/nn/conv.h"
#include "taper/nn/embedding.h"
#include "taper/nn/init.h"
#include "taper/nn/linear.h"
#include "taper/nn/normalization.h"

namespace huggingface {

using namespace taper;

bool WeightInitializer::is_selected(const Tensor& t) const {
  return !selected_ || std::any_of(selected_->begin(), selected_->end(),
                                   [&](const Tensor& s) { return s.is_same(t); });
}

void WeightInitializer::normal_(const Tensor& t, double std) const {
  if (is_selected(t)) nn::init::normal_(t, 0, std);
}
void WeightInitializer::trunc_normal_(const Tensor& t) const {
  if (is_selected(t)) nn::init::trunc_normal_(t, 0, std_);
}
void WeightInitializer::zeros_(const Tensor& t) const {
  if (is_selected(t)) nn::init::zeros_(t);
}
void WeightInitializer::ones_(const Tensor& t) const {
  if (is_selected(t)) nn::init::ones_(t);
}

void WeightInitializer::operator()(nn::Module& layer) const {
  if (const auto linear = layer.as<nn::Linear>()) {
    normal_(linear->weight);
    if (linear->bias) zeros_(*linear->bias);
  } else if (const auto conv = layer.as<nn::Conv2d>()) {
    normal_(conv->weight);
    if (conv->bias) zeros_(*conv->bias);
  } else if (const auto embedding = layer.as<nn::Embedding>()) {
    normal_(embedding->weight);
    if (embedding->padding_idx && is_selected(embedding->weight)) {
      const NoGrad guard;
      embedding->weight.select(0, *embedding->padding_idx).zero_();
    }
  } else if (const auto norm = layer.as<nn::LayerNorm>()) {
    if (norm->weight) ones_(*norm->weight);
    if (norm->bias) zeros_(*norm->bias);
  }
}

}  // namespace huggingface
