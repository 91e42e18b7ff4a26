// Family vision: torchvision's classifiers from a seed.
#include "models/build_model.h"
#include "models/families.h"
#include "models/model_state.h"
#include "models/results.h"
#include "models/statistics.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "training/fields.h"
#include "training/optimizers.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

Value run_construct(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  const Tensor next = rand({2});
  return Value::dict({{"next", next},
                      {"repr", model->str()},
                      {"parameters", count_parameters(*model)},
                      {"state", state_list(*model)},
                      {"values", statistics(state_tensors(*model))}});
}

Tensor evaluate(nn::Module& model, const Tensor& x) {
  const NoGrad guard;
  model.eval();
  return model(x);
}

// One step of SGD between two evaluations.
Value run_training_step(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  if (const Json* seed = c.find("jitter")) jitter(*model, *seed);
  const DType dtype = dtype_named(c.text("dtype"));
  model->to(dtype);
  Fields input(c.at("input"));
  manual_seed(seed_of(input.at("seed")));
  const Shape shape = input.shape("shape");
  const Tensor x = rand(shape).to(dtype);
  const Tensor target = randint(0, input.at("classes").get<std::int64_t>(), {shape[0]});
  input.done();

  const Value results = Value::dict({{"parameter_names", parameter_names(*model)},
                                     {"buffer_names", buffer_names(*model)},
                                     {"logits_eval", evaluate(*model, x)}});
  model->train();
  manual_seed(seed_of(c.at("run_seed")));
  const Tensor logits = (*model)(x);
  const Json* smoothing = c.find("label_smoothing");
  const Tensor loss = nn::functional::cross_entropy(
      logits, target, {.label_smoothing = smoothing ? smoothing->get<double>() : 0.0});
  const std::vector<Tensor> parameters = model->parameters();
  const auto optimizer = make_optimizer("SGD", parameters, options_of(c.at("sgd")));
  loss.backward();
  results["next"] = rand({2});
  results["logits_train"] = logits.detach();
  results["loss"] = loss.item<double>();
  results["buffers"] = statistics(model->buffers());
  results["grads"] = gradient_statistics(parameters);
  results["grad_first"] = parameters.front().grad().clone();
  results["grad_last"] = parameters.back().grad().clone();
  optimizer->step();
  results["after"] = statistics(parameters);
  results["logits_after"] = evaluate(*model, x);
  return results;
}

}  // namespace

void run_vision(Case& c) {
  static const ModelKinds kinds = {{"construct", run_construct}, {"run", run_training_step}};
  run_model_kind(c, kinds);
}

}  // namespace taper::oracle
