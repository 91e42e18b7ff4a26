#include "dist/rank_training.h"

#include "cases/outcome.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/dist/zero_redundancy_optimizer.h"
#include "taper/nn/sync_batchnorm.h"
#include "taper/nn/utils/clip_grad.h"
#include "training/fields.h"
#include "training/optimizers.h"
#include "training/schedulers.h"

namespace taper::oracle {
namespace {

void tie_parameter(nn::Module& model, const std::string& to, const std::string& from) {
  const std::size_t dot = to.rfind('.');
  model.get_submodule(to.substr(0, dot)).set_attr(to.substr(dot + 1), model.get_parameter(from));
}

}  // namespace

Built make_rank_model(RankCase& c) {
  manual_seed(seed_of(c.at("seed")));
  Built model = build_model(c.at("model"));
  if (const Json* ties = c.find("ties"))
    for (const Json& tie : *ties)
      tie_parameter(*model, tie.at(0).get<std::string>(), tie.at(1).get<std::string>());
  if (c.find("dtype")) model->to(c.read("dtype").as_dtype());
  if (const Json* frozen = c.find("frozen"))
    for (const Json& name : *frozen)
      model->get_parameter(name.get<std::string>()).set_requires_grad(false);
  if (flag(c, "sync_batch_norm", false)) return nn::SyncBatchNorm::convert_sync_batchnorm(model);
  return model;
}

RankLoss::RankLoss(const Json& spec) {
  Fields fields(spec);
  const std::string name = fields.text("name");
  std::map<std::string, Value> args;
  if (const Json* given = fields.find("args"))
    for (const auto& [key, value] : given->items()) args[key] = option_value(key, value);
  fields.done();
  if (name != "Dot") layer_ = make_layer(name, {}, std::move(args));
}

Tensor RankLoss::operator()(const Tensor& output, const Tensor& target) const {
  if (!layer_) return (output * target).sum();
  return layer_->call({output, target}).as_tensor();
}

void set_use(nn::Module& model, const std::vector<std::size_t>& use) {
  for (nn::Module* m : model.modules())
    if (const auto choice = m->as<Switch>()) choice->use = use;
}

Value copied_state(const nn::Module& model) {
  const Value state = model.state_dict();
  Value copy = Value::dict();
  for (const auto& [key, value] : state.as_dict())
    copy.as_dict().set(key, value.as_tensor().detach().clone());
  return copy;
}

Value copied_gradients(const nn::Module& model) {
  Value grads = Value::dict();
  for (const nn::NamedTensor& p : model.named_parameters())
    grads.as_dict().set(p.name, p.value.grad().defined() ? Value(p.value.grad().clone()) : Value());
  return grads;
}

double run_micro_batch(nn::Module& model, const RankLoss& loss, const Value& micro) {
  const Value* use = micro.find("use");
  std::vector<std::size_t> children;
  if (use)
    for (const Value& i : use->as_list()) children.push_back(static_cast<std::size_t>(i.as_int()));
  set_use(model, use ? children : std::vector<std::size_t>{0});
  Tensor total;
  const Value pairs = micro["pairs"];
  for (const Value& pair : pairs.as_list()) {
    const Values& xy = pair.as_list();
    const Tensor one = loss(model.call({xy[0]}).as_tensor(), xy[1].as_tensor());
    total = total.defined() ? total + one : one;
  }
  total.backward();
  return total.item<double>();
}

std::vector<Tensor> trained_parameters(const nn::Module& model) {
  std::vector<Tensor> params;
  for (const Tensor& p : model.parameters())
    if (p.requires_grad()) params.push_back(p);
  return params;
}

bool flag(RankCase& c, const char* field, bool fallback) {
  const Json* value = c.find(field);
  return value ? value->get<bool>() : fallback;
}

std::unique_ptr<optim::Optimizer> make_rank_optimizer(RankCase& c, const nn::Module& model) {
  Fields fields(c.at("optimizer"));
  const Json* args = fields.find("args");
  const std::string name = fields.text("name");
  fields.done();
  const Options options = options_of(args ? *args : Json::object());
  if (!flag(c, "zero", false)) return make_optimizer(name, trained_parameters(model), options);
  return std::make_unique<distributed::ZeroRedundancyOptimizer>(
      trained_parameters(model),
      [&](optim::Params params) { return make_optimizer(name, std::move(params), options); });
}

void StepRunner::run(const Value& batches, Value& steps) {
  const RankLoss loss(c.at("loss"));
  const Json* max_norm = c.find("clip_grad_norm");
  const Json* zero_grad = c.find("zero_grad");
  const bool shows_local = flag(c, "show_local", false);
  std::shared_ptr<optim::lr_scheduler::LRScheduler> scheduler;
  if (const Json* spec = c.find("scheduler")) scheduler = make_scheduler(optimizer, *spec);
  for (const Value& step : batches.as_list()) {
    optimizer.zero_grad(!(zero_grad && *zero_grad == "zeros"));
    Value row = Value::dict(), losses = Value::list();
    for (const Value& micro : step.as_list()) {
      const Value* sync = micro.find("sync");
      const bool syncs = !sync || sync->as_bool();
      pass(syncs, [&] { losses.append(run_micro_batch(model, loss, micro)); });
      if (!syncs && shows_local) row["local"] = copied_gradients(model);
    }
    row["losses"] = losses;
    row["grads"] = gradients ? gradients() : copied_gradients(model);
    if (max_norm) {
      const auto limit = max_norm->get<double>();
      const Tensor norm =
          clip ? clip(limit) : Tensor(nn::utils::clip_grad_norm_(model.parameters(), limit));
      row["norm"] = norm.item<double>();
    }
    optimizer.step();
    if (scheduler) scheduler->step();
    row["state"] = state ? state() : copied_state(model);
    steps.append(row);
  }
}

}  // namespace taper::oracle
