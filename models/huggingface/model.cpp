#include "huggingface/model.h"

#include "taper/core/factory.h"
#include "taper/nn/functional/elementwise_loss.h"
#include "taper/nn/functional/loss.h"

namespace huggingface {

using namespace taper;
namespace F = nn::functional;

InputSize size_of_inputs(const Tensor& input_ids, const ModelInputs& inputs) {
  const bool embedded = inputs.inputs_embeds.defined();
  if (embedded == input_ids.defined())
    throw ValueError("exactly one of input_ids and inputs_embeds must be given");
  const Tensor& x = embedded ? inputs.inputs_embeds : input_ids;
  if (x.dim() != (embedded ? 3 : 2))
    throw ShapeError(
        std::string(embedded ? "inputs_embeds must be (N, T, C)" : "input_ids must be (N, T)") +
        ", got " + x.shape().str());
  return {x.size(0), x.size(1)};
}

Tensor default_positions(std::int64_t tokens, std::int64_t past) {
  return arange(past, past + tokens).unsqueeze(0);
}

Tensor keep_last(const Tensor& x, std::int64_t count) {
  return count == 0 ? x : x.slice(1, -count, {});
}

Tensor token_loss(const Tensor& logits, const Tensor& labels) {
  return F::cross_entropy(logits.reshape({-1, logits.size(-1)}), labels.reshape({-1}));
}

Tensor causal_lm_loss(const Tensor& logits, const Tensor& labels) {
  if (labels.dim() != 2 || logits.size(0) != labels.size(0) || logits.size(1) != labels.size(1))
    throw ShapeError("labels must have the shape " + Shape{logits.size(0), logits.size(1)}.str() +
                     " of the tokens, got " + labels.shape().str());
  const Tensor last = full({labels.size(0), 1}, -100, {.dtype = labels.dtype()});
  const bool is_narrow = logits.element_size() < 4;  // computed in f32, as in Hugging Face
  return token_loss(is_narrow ? logits.to(DType::f32) : logits,
                    cat({labels.slice(1, 1, {}), last}, 1));
}

Tensor classification_loss(const Tensor& logits, const Tensor& labels,
                           const PretrainedConfig& config) {
  const bool one_label = labels.dtype() == DType::i64 || labels.dtype() == DType::i32;
  const std::string problem = config.problem_type      ? *config.problem_type
                              : config.num_labels == 1 ? "regression"
                              : one_label              ? "single_label_classification"
                                                       : "multi_label_classification";
  if (problem == "single_label_classification") return token_loss(logits, labels);
  if (problem == "multi_label_classification")
    return F::binary_cross_entropy_with_logits(logits, labels);
  return config.num_labels == 1 ? F::mse_loss(logits.squeeze(), labels.squeeze())
                                : F::mse_loss(logits, labels);
}

}  // namespace huggingface
