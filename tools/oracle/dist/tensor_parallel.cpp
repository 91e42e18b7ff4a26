// Family tensor_parallel: parallelize_module, cross entropy over divided classes.
#include "taper/dist/tensor_parallel.h"

#include <algorithm>
#include <memory>

#include "cases/outcome.h"
#include "dist/families.h"
#include "dist/rank_training.h"
#include "dist/sharded.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/dist/loss_parallel.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using distributed::Placement;

Placement placement_field(const Json& layout) {
  if (layout == "replicate") return distributed::Replicate();
  if (layout.at(0) != "shard") throw MalformedCase("unknown layout " + layout.dump());
  return distributed::Shard(layout.at(1).get<std::int64_t>());
}

/// Returns one layout, or a list whose entries may be null.
distributed::Layouts layout_list(const Json& given) {
  if (!given.is_array() || given.at(0) == "shard") return placement_field(given);
  distributed::Layouts list;
  for (const Json& one : given)
    list.push_back(one.is_null() ? std::nullopt : std::optional(placement_field(one)));
  return list;
}

template <class Style> distributed::ParallelStyle layer_style(Fields& fields) {
  distributed::LayerParallelOptions options;
  if (const Json* given = fields.find("input_layouts"))
    options.input_layouts = placement_field(*given);
  if (const Json* given = fields.find("output_layouts"))
    options.output_layouts = placement_field(*given);
  if (const Json* given = fields.find("use_local_output"))
    options.use_local_output = given->get<bool>();
  return Style(options);
}

distributed::ParallelStyle style_of(const std::string& name, Fields& fields) {
  if (name == "ColwiseParallel") return layer_style<distributed::ColwiseParallel>(fields);
  if (name == "RowwiseParallel") return layer_style<distributed::RowwiseParallel>(fields);
  const Json* local = fields.find("use_local_output");
  if (name == "SequenceParallel") {
    distributed::SequenceParallelOptions options;
    if (const Json* given = fields.find("sequence_dim"))
      options.sequence_dim = given->get<std::int64_t>();
    if (local) options.use_local_output = local->get<bool>();
    return distributed::SequenceParallel(options);
  }
  if (name == "PrepareModuleInput") {
    distributed::PrepareModuleInputOptions options;
    options.input_layouts = layout_list(fields.at("input_layouts"));
    options.desired_input_layouts = layout_list(fields.at("desired_input_layouts"));
    if (local) options.use_local_output = local->get<bool>();
    return distributed::PrepareModuleInput(options);
  }
  if (name == "PrepareModuleOutput") {
    distributed::PrepareModuleOutputOptions options;
    options.output_layouts = layout_list(fields.at("output_layouts"));
    options.desired_output_layouts = layout_list(fields.at("desired_output_layouts"));
    if (local) options.use_local_output = local->get<bool>();
    return distributed::PrepareModuleOutput(options);
  }
  throw Unsupported("style " + name);
}

void parallelize_model(RankCase& c, nn::Module& model) {
  distributed::ParallelPlan plan;
  for (const Json& entry : c.at("plan")) {
    Fields fields(entry.at(2));
    plan.push_back(
        {entry.at(0).get<std::string>(), style_of(entry.at(1).get<std::string>(), fields)});
    fields.done();
  }
  distributed::parallelize_module(model, distributed::init_device_mesh({c.world()}), plan);
}

Value parameter_layouts(const nn::Module& model) {
  Value layouts = Value::dict();
  for (const nn::NamedTensor& p : model.named_parameters()) {
    const Placement placement = distributed::placement_of(p.value);
    layouts[p.name] =
        Value::dict({{"placement", placement.is_replicate()
                                       ? Value("replicate")
                                       : Value::list({Value("shard"), Value(placement.dim())})},
                     {"local", shape_list(p.value.shape())}});
  }
  return layouts;
}

Value run_parallel_layer(RankCase& c) {
  const Built model = make_rank_model(c);
  parallelize_model(c, *model);
  Value out = Value::dict({{"parameters", parameter_layouts(*model)}});
  const Tensor x = c.read("x").as_tensor();
  if (x.is_floating_point()) x.requires_grad_();
  const Tensor y = model->call({x}).as_tensor();
  out["out"] = y.detach();
  (y * c.read("grad_output").as_tensor()).sum().backward();
  out["grad_input"] = x.grad().defined() ? Value(x.grad()) : Value();
  out["grads"] = full_gradients(*model);
  return out;
}

Value run_parallel_train(RankCase& c) {
  const Built model = make_rank_model(c);
  parallelize_model(c, *model);
  Value steps = Value::list();
  Value out = Value::dict({{"parameters", parameter_layouts(*model)},
                           {"initial", full_state(*model)},
                           {"steps", steps}});
  const auto optimizer = make_rank_optimizer(c, *model);
  const bool divides_loss = flag(c, "loss_parallel", false);
  StepRunner runner{c, *model, *optimizer};
  runner.pass = [&](bool, const SharedFunction<void()>& pass) {
    std::unique_ptr<distributed::LossParallelScope> scope;
    if (divides_loss) scope = std::make_unique<distributed::LossParallelScope>(nullptr);
    pass();
  };
  use_whole_values(runner);
  runner.run(c.read("batches"), steps);
  out["local"] = copied_state(*model);
  return out;
}

nn::functional::CrossEntropyFuncOptions loss_options(RankCase& c) {
  nn::functional::CrossEntropyFuncOptions options;
  Fields fields(c.at("args"));
  if (const Json* weight = fields.find("weight")) options.weight = c.value(*weight).as_tensor();
  if (const Json* index = fields.find("ignore_index"))
    options.ignore_index = index->get<std::int64_t>();
  if (const Json* reduction = fields.find("reduction"))
    options.reduction = reduction->get<std::string>();
  if (const Json* smoothing = fields.find("label_smoothing"))
    options.label_smoothing = Fields::number_of(*smoothing);
  fields.done();
  return options;
}

Tensor own_piece(const Tensor& whole, std::int64_t dim) {
  return distributed::redistribute(whole, distributed::Replicate(), distributed::Shard(dim));
}

Value run_parallel_cross_entropy(RankCase& c) {
  const Tensor logits = own_piece(c.read("logits").as_tensor(), 1);
  logits.requires_grad_();
  const Tensor loss =
      distributed::functional::cross_entropy(logits, c.read("target").as_tensor(), loss_options(c));
  if (c.find("weights"))
    (loss * c.read("weights").as_tensor()).sum().backward();
  else
    loss.backward();
  return Value::dict({{"loss", loss.detach()}, {"grad", logits.grad()}});
}

Value run_pieces(RankCase& c) {
  const Value tensors = c.read("tensors_in"), dims = c.read("dims");
  Value pieces = Value::list();
  for (std::size_t i = 0; i < tensors.size(); ++i)
    pieces.append(own_piece(tensors.as_list()[i].as_tensor(), dims.as_list()[i].as_int()));
  if (c.find("exact") && !flag(c, "exact", true)) throw MalformedCase("exact is false");
  return Value::dict({{"local", pieces}});
}

/// The format accepts, in place of an error, a result with the numbers of the whole module, whose
/// parameters must have been divided.
Value run_parallel_error(RankCase& c) {
  const Tensor x = c.read("x").as_tensor();
  bool has_result = false;
  const Value outcome = c.attempt([&] {
    manual_seed(0);
    const Built model = build_model(c.at("model"));
    const Tensor expected = model->call({x}).as_tensor();
    parallelize_model(c, *model);
    const std::vector<Tensor> params = model->parameters();
    has_result = std::any_of(params.begin(), params.end(), distributed::is_sharded) &&
                 allclose(model->call({x}).as_tensor(), expected, 1e-5, 1e-6);
  });
  return has_result ? Value::dict({{"fails", true}}) : outcome;
}

}  // namespace

void run_tensor_parallel(Case& c) {
  static const std::map<std::string, RankFunction> kinds = {
      {"layer", run_parallel_layer},
      {"train", run_parallel_train},
      {"cross_entropy", run_parallel_cross_entropy},
      {"shards", run_pieces},
      {"error", run_parallel_error}};
  run_on_ranks(c, kinds);
}

}  // namespace taper::oracle
