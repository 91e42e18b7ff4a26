// Family ddp: training steps of DistributedDataParallel, samplers, buckets, clipping and errors.
#include <cmath>

#include "cases/outcome.h"
#include "dist/families.h"
#include "dist/kinds.h"
#include "dist/rank_training.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/data/sampler.h"
#include "taper/dist/collectives.h"
#include "taper/dist/distributed_data_parallel.h"
#include "taper/nn/utils/clip_grad.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using distributed::DistributedDataParallel;
using distributed::DistributedDataParallelOptions;

DistributedDataParallelOptions ddp_options(RankCase& c) {
  DistributedDataParallelOptions options;
  const Json* given = c.find("ddp");
  if (!given) return options;
  Fields fields(*given);
  const auto read = [&](const char* name, bool& to) {
    if (const Json* value = fields.find(name)) to = value->get<bool>();
  };
  if (fields.find("bucket_cap_mb")) options.bucket_cap_mb = fields.number("bucket_cap_mb");
  read("find_unused_parameters", options.find_unused_parameters);
  read("gradient_as_bucket_view", options.gradient_as_bucket_view);
  read("static_graph", options.static_graph);
  read("init_sync", options.init_sync);
  read("forward_sync_buffers", options.forward_sync_buffers);
  fields.done();
  return options;
}

std::unique_ptr<DistributedDataParallel> wrap(RankCase& c, nn::Module& model) {
  namespace hooks = distributed::default_hooks;
  auto ddp = std::make_unique<DistributedDataParallel>(model, ddp_options(c));
  static const std::map<std::string, distributed::CommHook> known = {
      {"allreduce_hook", hooks::allreduce_hook},
      {"fp16_compress_hook", hooks::fp16_compress_hook},
      {"bf16_compress_hook", hooks::bf16_compress_hook}};
  if (const Json* name = c.find("hook")) {
    const auto found = known.find(name->get<std::string>());
    if (found == known.end()) throw Unsupported("hook " + name->get<std::string>());
    ddp->register_comm_hook(found->second);
  }
  return ddp;
}

distributed::JoinOptions join_options(const Json& given) {
  distributed::JoinOptions options;
  Fields fields(given);
  if (const Json* v = fields.find("divide_by_initial_world_size"))
    options.divide_by_initial_world_size = v->get<bool>();
  if (const Json* v = fields.find("throw_on_early_termination"))
    options.throw_on_early_termination = v->get<bool>();
  if (const Json* v = fields.find("enable")) options.enable = v->get<bool>();
  fields.done();
  return options;
}

void run_pass(DistributedDataParallel& ddp, bool sync, const SharedFunction<void()>& pass) {
  if (sync) return pass();
  const auto guard = ddp.no_sync();
  pass();
}

data::DistributedSampler sampler_of(RankCase& c, std::int64_t size) {
  Fields fields(c.at("sampler"));
  data::DistributedSamplerOptions options;
  if (const Json* v = fields.find("shuffle")) options.shuffle = v->get<bool>();
  if (const Json* v = fields.find("drop_last")) options.drop_last = v->get<bool>();
  if (const Json* v = fields.find("seed")) options.seed = seed_of(*v);
  fields.done();
  options.num_replicas = c.world(), options.rank = c.rank();
  return data::DistributedSampler(size, options);
}

/// Trains on the batches of the indices. Returns the losses.
Value train_on(nn::Module& model, optim::Optimizer& optimizer, const RankLoss& loss,
               const std::vector<std::int64_t>& order, std::int64_t batch_size, const Tensor& x,
               const Tensor& y) {
  Value losses = Value::list();
  for (std::size_t k = 0; k < order.size(); k += static_cast<std::size_t>(batch_size)) {
    const std::size_t end = std::min(order.size(), k + static_cast<std::size_t>(batch_size));
    const Tensor part =
        tensor(std::vector<std::int64_t>(order.begin() + static_cast<std::ptrdiff_t>(k),
                                         order.begin() + static_cast<std::ptrdiff_t>(end)));
    optimizer.zero_grad();
    const Value pair = Value::list({x.index_select(0, part), y.index_select(0, part)});
    losses.append(run_micro_batch(model, loss, Value::dict({{"pairs", Value::list({pair})}})));
    optimizer.step();
  }
  return losses;
}

Value run_sampled(RankCase& c) {
  const Built model = make_rank_model(c);
  const auto ddp = wrap(c, *model);
  const auto optimizer = make_rank_optimizer(c, *model);
  const RankLoss loss(c.at("loss"));
  const Tensor x = c.read("data_x").as_tensor(), y = c.read("data_y").as_tensor();
  const auto batch_size = c.at("batch_size").get<std::int64_t>();
  data::DistributedSampler sampler = sampler_of(c, x.size(0));
  Value epochs = Value::list();
  for (const Json& epoch : c.at("epochs")) {
    if (!epoch.is_null()) sampler.set_epoch(epoch.get<std::int64_t>());
    std::vector<std::int64_t> order;
    data::NextIndex next = sampler.iterate();
    while (const auto i = next()) order.push_back(*i);
    const Value losses = train_on(*model, *optimizer, loss, order, batch_size, x, y);
    double sum = 0;
    for (const Value& one : losses.as_list()) sum += one.as_double();
    const Tensor mean = tensor({sum, static_cast<double>(losses.size())}, {.dtype = DType::f64});
    distributed::all_reduce(mean);
    Value params = Value::dict();
    for (const nn::NamedTensor& p : model->named_parameters())
      params[p.name] = p.value.detach().clone();
    epochs.append(Value::dict({{"order", Value::list(Values(order.begin(), order.end()))},
                               {"losses", losses},
                               {"mean_loss", mean[0].item<double>() / mean[1].item<double>()},
                               {"params", params}}));
  }
  return Value::dict({{"length", sampler.size()}, {"epochs", epochs}});
}

Value run_buckets(RankCase& c) {
  const Built model = make_rank_model(c);
  DistributedDataParallel ddp(*model, ddp_options(c));
  std::map<std::size_t, Value> seen;
  ddp.register_comm_hook(
      [&](const distributed::Group& group, const distributed::GradBucket& bucket) {
        Value names = Value::list();
        for (const Tensor& p : bucket.parameters())
          for (const nn::NamedTensor& named : model->named_parameters())
            if (named.value.is_same(p)) names.append(named.name);
        seen[bucket.index()] = Value::list({bucket.index(), names, bucket.buffer().nbytes()});
        return distributed::default_hooks::allreduce_hook(group, bucket);
      });
  const Value x = c.read("x");
  Value passes = Value::list();
  for (const Json& use : c.at("use")) {
    seen.clear();
    set_use(*model, use.get<std::vector<std::size_t>>());
    model->call({x}).as_tensor().to(DType::f32).sum().backward();
    model->zero_grad();
    Value list = Value::list();
    for (const auto& [index, bucket] : seen) list.append(bucket);
    passes.append(list);
  }
  return Value::dict({{"passes", passes}});
}

Value run_clip(RankCase& c) {
  const Built model = make_rank_model(c);
  const auto ddp = wrap(c, *model);
  const RankLoss loss(c.at("loss"));
  const Value batches = c.read("batches");
  for (const Value& micro : batches.as_list()[0].as_list()) run_micro_batch(*model, loss, micro);
  const Tensor norm =
      nn::utils::clip_grad_norm_(model->parameters(), c.at("max_norm").get<double>(),
                                 {.norm_type = std::stod(c.text("norm_type"))});
  return Value::dict({{"norm", norm.item<double>()}, {"grads", copied_gradients(*model)}});
}

/// Runs all micro-batches of the case.
void run_batches(RankCase& c, nn::Module& model) {
  const RankLoss loss(c.at("loss"));
  const Value batches = c.read("batches");
  for (const Value& step : batches.as_list())
    for (const Value& micro : step.as_list()) run_micro_batch(model, loss, micro);
}

Value run_ddp_error(RankCase& c) {
  return c.attempt([&] {
    const Built model = make_rank_model(c);
    const auto ddp = wrap(c, *model);
    if (c.find("batches")) run_batches(c, *model);
  });
}

Value run_join_error(RankCase& c) {
  const Built model = make_rank_model(c);
  const auto ddp = wrap(c, *model);
  return c.attempt([&] { ddp->join([&] { run_batches(c, *model); }, join_options(c.at("join"))); });
}

}  // namespace

Value run_ddp_train(RankCase& c) {
  const Built model = make_rank_model(c);
  const auto ddp = wrap(c, *model);
  Value keys = Value::list(), steps = Value::list();
  const Value wrapped_state = ddp->state_dict();
  for (const auto& [key, value] : wrapped_state.as_dict()) keys.append(key);
  Value out = Value::dict({{"keys", keys}, {"initial", copied_state(*model)}, {"steps", steps}});
  const auto optimizer = make_rank_optimizer(c, *model);
  StepRunner runner{c, *model, *optimizer,
                    [&](bool sync, const auto& pass) { run_pass(*ddp, sync, pass); }};
  const Value batches = c.read("batches");
  if (const Json* join = c.find("join")) {
    ddp->join([&] { runner.run(batches, steps); }, join_options(*join));
    out["final"] = copied_state(*model);
  } else {
    runner.run(batches, steps);
  }
  return out;
}

void run_ddp(Case& c) {
  static const std::map<std::string, RankFunction> kinds = {
      {"train", run_ddp_train},    {"sampled", run_sampled},
      {"buckets", run_buckets},    {"sync_batch_norm", run_sync_batch_norm},
      {"metric", run_rank_metric}, {"clip", run_clip},
      {"error", run_ddp_error},    {"join_error", run_join_error}};
  run_on_ranks(c, kinds);
}

}  // namespace taper::oracle
