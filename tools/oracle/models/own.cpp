// Family own: a sequence-to-sequence Transformer learns to copy its input.
#include <cmath>

#include "models/families.h"
#include "models/model_state.h"
#include "models/results.h"
#include "models/statistics.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "taper/optim/lr_scheduler/lambda.h"
#include "training/fields.h"
#include "training/optimizers.h"
#include "transformer/seq2seq.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

constexpr std::int64_t kPadding = transformer::Seq2Seq::padding, kStart = 1;

transformer::Seq2Seq build_seq2seq(const Json& model) {
  Fields fields(model);
  nn::TransformerOptions o;
  const auto set = [&]<class Option>(const char* name, Option& option) {
    const Json* const value = fields.find(name);
    if (!value) return;
    if constexpr (std::is_same_v<Option, IntArg>)
      option = value->get<std::int64_t>();
    else if constexpr (std::is_same_v<Option, FloatArg>)
      option = value->get<double>();
    else
      option = value->get<Option>();
  };
  set("d_model", o.d_model);
  set("nhead", o.nhead);
  set("num_encoder_layers", o.num_encoder_layers);
  set("num_decoder_layers", o.num_decoder_layers);
  set("dim_feedforward", o.dim_feedforward);
  set("dropout", o.dropout);
  set("activation", o.activation);
  set("layer_norm_eps", o.layer_norm_eps);
  set("norm_first", o.norm_first);
  set("bias", o.bias);
  const auto vocabulary = fields.at("vocab").get<std::int64_t>();
  const auto max_length = fields.at("max_length").get<std::int64_t>();
  fields.done();
  return transformer::Seq2Seq(vocabulary, max_length, o);
}

// Draws sequences of ids of random lengths.
class CopyData {
 public:
  explicit CopyData(const Json& data) {
    Fields fields(data);
    manual_seed(seed_of(fields.at("seed")));
    vocabulary_ = fields.at("vocab"), batch_ = fields.at("batch");
    shortest_ = fields.at("shortest"), longest_ = fields.at("longest");
    fields.done();
  }
  Tensor next() const {
    const Tensor length = randint(shortest_, longest_ + 1, {batch_});
    const Tensor ids = randint(2, vocabulary_, {batch_, longest_});
    return where(arange(longest_) < length.unsqueeze(1), ids, kPadding);
  }

 private:
  std::int64_t vocabulary_, batch_, shortest_, longest_;
};

// Returns the ids behind a start id, without the last one.
Tensor shifted(const Tensor& target) {
  return cat({full({target.size(0), 1}, kStart), target.narrow(1, 0, target.size(1) - 1)}, 1);
}

Value run_copy(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  transformer::Seq2Seq model = build_seq2seq(c.at("model"));
  const Tensor next = rand({2});
  const Value results = Value::dict({{"next", next},
                                     {"state", state_list(model)},
                                     {"values", statistics(state_tensors(model))},
                                     {"repr", model.str()},
                                     {"parameter_names", parameter_names(model)}});
  model.to(dtype_named(c.text("dtype"))).train();
  Fields description(c.at("optimizer"));
  const auto optimizer = make_optimizer(description.text("name"), model.parameters(),
                                        options_of(description.at("args")));
  description.done();
  const auto warmup = c.at("warmup").get<double>();
  optim::lr_scheduler::LambdaLR scheduler(*optimizer, [warmup](std::int64_t t) {
    const double step = static_cast<double>(t) + 1;
    return std::min(std::pow(step, -0.5), step * std::pow(warmup, -1.5));
  });
  const CopyData data(c.at("data"));
  const auto smoothing = c.at("label_smoothing").get<double>();
  Tensor first;
  Values losses;
  for (std::int64_t t = 0, steps = c.integer("steps"); t < steps; ++t) {
    const Tensor target = data.next();
    if (t == 0) first = target;
    optimizer->zero_grad();
    const Tensor logits = model(target, shifted(target));
    const Tensor loss =
        nn::functional::cross_entropy(logits.flatten(0, 1), target.flatten(),
                                      {.ignore_index = kPadding, .label_smoothing = smoothing});
    loss.backward();
    optimizer->step();
    scheduler.step();
    losses.emplace_back(loss.item<double>());
  }
  const Tensor given = shifted(first), logits = model(first, given).detach();
  results["batch"] = first;
  results["losses"] = Value::list(std::move(losses));
  results["logits"] = where((given != kPadding).unsqueeze(2), logits, zeros_like(logits));
  results["after"] = statistics(model.parameters());
  return results;
}

}  // namespace

void run_own(Case& c) {
  static const ModelKinds kinds = {{"copy", run_copy}};
  run_model_kind(c, kinds);
}

}  // namespace taper::oracle
