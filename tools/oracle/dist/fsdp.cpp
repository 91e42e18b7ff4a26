// Family fsdp: fully_shard.
#include "cases/outcome.h"
#include "dist/families.h"
#include "dist/rank_training.h"
#include "dist/sharded.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/dist/fully_shard.h"
#include "taper/nn/parameter_list.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using distributed::FullyShardOptions;

distributed::MixedPrecisionPolicy policy_of(RankCase& c, const Json& spec) {
  distributed::MixedPrecisionPolicy policy;
  Fields fields(spec);
  const auto read = [&](const char* name, std::optional<DType>& to) {
    if (const Json* value = fields.find(name)) to = c.value(*value).as_dtype();
  };
  read("param_dtype", policy.param_dtype);
  read("reduce_dtype", policy.reduce_dtype);
  read("output_dtype", policy.output_dtype);
  if (const Json* value = fields.find("cast_forward_inputs"))
    policy.cast_forward_inputs = value->get<bool>();
  fields.done();
  return policy;
}

/// Shards the submodules that the case lists.
void shard_model(RankCase& c, nn::Module& model) {
  const Json* shape = c.find("mesh");
  const distributed::DeviceMesh mesh = distributed::init_device_mesh(
      shape ? shape->get<std::vector<int>>() : std::vector{c.world()});
  for (const Json& entry : c.at("shard")) {
    FullyShardOptions options{.mesh = mesh};
    Fields fields(entry.at(1));
    // A number reshards to groups of that many ranks: it determines memory, not results.
    if (const Json* reshard = fields.find("reshard_after_forward"))
      options.reshard_after_forward =
          reshard->is_boolean() ? reshard->get<bool>() : reshard->get<int>() > 0;
    if (const Json* policy = fields.find("mp_policy")) options.mp_policy = policy_of(c, *policy);
    fields.done();
    distributed::fully_shard(model.get_submodule(entry.at(0).get<std::string>()), options);
  }
}

Value shards_of(const nn::Module& model) {
  Value shards = Value::dict();
  for (const nn::NamedTensor& p : model.named_parameters())
    shards[p.name] = Value::dict({{"shape", shape_list(distributed::full_shape(p.value))},
                                  {"local", shape_list(p.value.shape())},
                                  {"shard_dim", 0}});
  return shards;
}

/// Returns the names of the parameters of each group.
Value group_params(const Value& optimizer_state) {
  Value params = Value::list();
  const Value groups = optimizer_state["param_groups"];
  for (const Value& group : groups.as_list()) params.append(Value(group["params"]));
  return params;
}

Value run_fsdp_train(RankCase& c) {
  const Built model = make_rank_model(c);
  shard_model(c, *model);
  Value steps = Value::list();
  Value out = Value::dict(
      {{"shards", shards_of(*model)}, {"initial", full_state(*model)}, {"steps", steps}});
  const auto optimizer = make_rank_optimizer(c, *model);
  StepRunner runner{c, *model, *optimizer};
  runner.pass = [&](bool sync, const SharedFunction<void()>& pass) {
    distributed::set_requires_gradient_sync(*model, sync);
    pass();
  };
  use_whole_values(runner);
  runner.run(c.read("batches"), steps);
  out["local"] = copied_state(*model);
  out["local_grads"] = copied_gradients(*model);
  if (flag(c, "show_optimizer", false)) {
    const Value full =
        distributed::get_optimizer_state_dict(*model, *optimizer, {.full_state_dict = true});
    const Value local = distributed::get_optimizer_state_dict(*model, *optimizer);
    out["optimizer"] =
        Value::dict({{"state", Value(full["state"])}, {"params", group_params(full)}});
    out["optimizer_local"] = Value(local["state"]);
  }
  return out;
}

/// Module with parameters of the given shapes.
struct Holder : nn::Module {
  nn::ParameterList p;
  TAPER_MODULE(Holder, p)
  Tensor forward(const Tensor& x) { return x; }
};

void fill_holder(RankCase& c, Holder& holder) {
  for (const Json& shape : c.at("shapes"))
    holder.p.append(nn::Parameter(zeros(shape.get<std::vector<std::int64_t>>())));
}

Value run_shapes(RankCase& c) {
  Holder holder;
  fill_holder(c, holder);
  distributed::fully_shard(holder);
  Value local = Value::list(), padded = Value::list();
  for (const Tensor& p : holder.parameters()) {
    local.append(shape_list(p.shape()));
    Shape rows = distributed::full_shape(p);
    rows[0] = (rows[0] + c.world() - 1) / c.world();
    padded.append(shape_list(rows));
  }
  return Value::dict({{"local", local}, {"padded", padded}});
}

Value run_load(RankCase& c) {
  const Built model = make_rank_model(c);
  shard_model(c, *model);
  const auto optimizer = make_rank_optimizer(c, *model);
  distributed::set_model_state_dict(*model, c.read("state_dict"), {.full_state_dict = true});
  Value out = Value::dict({{"local", copied_state(*model)}});
  if (c.find("optimizer_state")) {
    const Value groups = distributed::get_optimizer_state_dict(*model, *optimizer)["param_groups"];
    distributed::set_optimizer_state_dict(
        *model, *optimizer,
        Value::dict({{"state", c.read("optimizer_state")}, {"param_groups", groups}}),
        {.full_state_dict = true});
    out["optimizer_local"] =
        Value(distributed::get_optimizer_state_dict(*model, *optimizer)["state"]);
  }
  out["full"] = full_state(*model);
  return out;
}

Value run_fsdp_error(RankCase& c) {
  return c.attempt([&] {
    if (c.find("shapes")) {
      Holder holder;
      fill_holder(c, holder);
      distributed::fully_shard(holder);
      return;
    }
    const Built model = make_rank_model(c);
    shard_model(c, *model);
  });
}

}  // namespace

void run_fsdp(Case& c) {
  static const std::map<std::string, RankFunction> kinds = {{"train", run_fsdp_train},
                                                            {"shapes", run_shapes},
                                                            {"load", run_load},
                                                            {"error", run_fsdp_error}};
  run_on_ranks(c, kinds);
}

}  // namespace taper::oracle
