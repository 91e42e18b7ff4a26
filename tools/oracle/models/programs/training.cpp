// Programs that train a model.
#include <fmt/format.h>

#include <algorithm>

#include "models/build_model.h"
#include "models/model_state.h"
#include "models/programs/programs.h"
#include "models/statistics.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "taper/nn/linear.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/optim/adam.h"
#include "taper/optim/lr_scheduler/cosine.h"
#include "training/fields.h"
#include "training/optimizers.h"

namespace taper::oracle {
namespace {

Tensor evaluate_model(nn::Module& model, const Tensor& x) {
  model.eval();
  const NoGrad guard;
  return model(x);
}

Value size_of_group(const std::vector<Tensor>& parameters) {
  std::int64_t elements = 0;
  for (const Tensor& p : parameters) elements += p.numel();
  return Value::list({parameters.size(), elements});
}

}  // namespace

Value run_one_step(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  const ImageBatch batch(c);
  model->train();
  const std::vector<Tensor> parameters = model->parameters();
  const auto optimizer = make_optimizer("SGD", parameters, options_of(c.at("sgd")));
  optimizer->zero_grad();
  manual_seed(seed_of(c.at("run_seed")));
  const Tensor loss = nn::functional::cross_entropy((*model)(batch.images), batch.classes);
  loss.backward();
  const Value results =
      Value::dict({{"loss", loss.item<double>()}, {"grads", gradient_statistics(parameters)}});
  optimizer->step();
  results["after"] = statistics(parameters);
  const Value state = optimizer->state_dict();
  std::vector<std::string> keys;
  for (const auto& [key, value] : state["state"].as_dict().at(0).as_dict())
    keys.push_back(key.as_string());
  std::sort(keys.begin(), keys.end());
  results["optimizer_keys"] =
      Value::list({state["state"].size(), Value::list(Values(keys.begin(), keys.end())),
                   state["param_groups"][0]["params"].size()});
  results["logits"] = evaluate_model(*model, batch.images);
  return results;
}

Value run_finetune_head(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  model->requires_grad_(false);
  manual_seed(seed_of(c.at("run_seed")));
  auto& head = model->attr<nn::Linear>("fc");
  const auto num_classes = c.at("input").at("classes").get<std::int64_t>();
  head = nn::Linear(head.in_features, num_classes);
  const ImageBatch batch(c);
  const auto optimizer = make_optimizer("SGD", head.parameters(), options_of(c.at("sgd")));
  Values losses, trained, with_gradient, order;
  for (std::int64_t t = 0, steps = c.integer("steps"); t < steps; ++t) {
    optimizer->zero_grad();
    const Tensor loss = nn::functional::cross_entropy((*model)(batch.images), batch.classes);
    loss.backward();
    optimizer->step();
    losses.emplace_back(loss.item<double>());
  }
  const Tensor logits = evaluate_model(*model, batch.images);
  for (const auto& [name, p] : model->named_parameters()) {
    if (p.requires_grad()) trained.emplace_back(name);
    if (p.grad().defined()) with_gradient.emplace_back(name);
  }
  for (const auto& child : model->named_children()) order.emplace_back(child.name);
  return Value::dict({{"trained", Value::list(std::move(trained))},
                      {"with_gradient", Value::list(std::move(with_gradient))},
                      {"losses", Value::list(std::move(losses))},
                      {"logits", logits},
                      {"buffers", statistics(model->buffers())},
                      {"head", head.weight.detach()},
                      {"order", Value::list(std::move(order))}});
}

Value run_groups(Case& c) {
  manual_seed(seed_of(c.at("seed")));
  const auto model = build_named_model(c.at("model"));
  const std::string head_prefix = model->named_children().back().name + ".";
  std::vector<Tensor> body, vectors, head;
  for (const auto& [name, p] : model->named_parameters()) {
    const bool in_head = name.starts_with(head_prefix);
    (in_head ? head : p.dim() > 1 ? body : vectors).push_back(p);
  }
  optim::AdamW optimizer(
      {optim::ParamGroup(body, {{"lr", 1e-4}}),
       optim::ParamGroup(vectors, {{"lr", 1e-4}, {"weight_decay", 0.0}}), optim::ParamGroup(head)},
      {.lr = 1e-3, .weight_decay = 0.05});
  const std::int64_t steps = c.integer("steps");
  optim::lr_scheduler::CosineAnnealingLR scheduler(optimizer, steps);
  const ImageBatch batch(c);
  model->train();
  Values losses, rates;
  manual_seed(seed_of(c.at("run_seed")));
  for (std::int64_t t = 0; t < steps; ++t) {
    Values rate;
    for (const optim::ParamGroup& group : optimizer.param_groups())
      rate.emplace_back(fmt::format("{:.9g}", group["lr"].as_double()));
    rates.push_back(Value::list(std::move(rate)));
    const Tensor loss = nn::functional::cross_entropy((*model)(batch.images), batch.classes,
                                                      {.label_smoothing = 0.1});
    optimizer.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 5.0);
    optimizer.step();
    scheduler.step();
    losses.emplace_back(loss.item<double>());
  }
  return Value::dict({{"sizes", Value::dict({{"body", size_of_group(body)},
                                             {"vectors", size_of_group(vectors)},
                                             {"head", size_of_group(head)}})},
                      {"losses", Value::list(std::move(losses))},
                      {"rates", Value::list(std::move(rates))}});
}

}  // namespace taper::oracle
