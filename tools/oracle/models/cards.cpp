// Family cards: figures of the image classifiers.
#include "models/build_model.h"
#include "models/families.h"
#include "models/model_state.h"
#include "models/multiply_adds.h"
#include "models/results.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "vision/published_weights.h"

namespace taper::oracle {
namespace {

Value published(const std::string& model) {
  Values list;
  for (const vision::PublishedWeights& w : vision::published_weights(model))
    list.push_back(Value::dict({{"name", w.name},
                                {"num_params", w.num_params},
                                {"gflops", w.gflops},
                                {"file_mb", w.file_size},
                                {"acc1", w.acc1},
                                {"input", w.input_size},
                                {"min_size", Value::list({w.min_size, w.min_size})},
                                {"classes", w.num_classes}}));
  return Value::list(std::move(list));
}

Value run_card(Case& c) {
  const Json& spec = c.at("model");
  const auto model = build_named_model(spec);
  std::int64_t buffers = 0;
  for (const Tensor& b : model->buffers()) buffers += b.numel();
  const std::int64_t parameters = count_parameters(*model);
  model->to(Device::meta());
  const Value by_size = Value::dict();
  Value by_operation = Value::dict();
  for (const Json& size : c.at("sizes")) {
    const auto side = size.get<std::int64_t>();
    const auto counts = count_multiply_adds(*model, {1, 3, side, side});
    std::int64_t total = 0;
    for (const auto& [operation, count] : counts) total += count;
    by_size.as_dict().set(std::to_string(side), total);
    if (by_operation.size()) continue;
    for (const auto& [operation, count] : counts) by_operation.as_dict().set(operation, count);
  }
  return Value::dict({{"weights", published(spec.at("name"))},
                      {"parameters", parameters},
                      {"buffers", buffers},
                      {"multiply_adds", by_size},
                      {"by_operation", by_operation}});
}

}  // namespace

void run_cards(Case& c) {
  static const ModelKinds kinds = {{"card", run_card}};
  run_model_kind(c, kinds);
}

}  // namespace taper::oracle
