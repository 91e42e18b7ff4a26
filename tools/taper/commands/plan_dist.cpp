// taper plan-dist: predicts distributed training on many ranks from a step on this machine.
#include "plan_report.h"

#include <algorithm>
#include <memory>

#include "model_options.h"
#include "options.h"
#include "plan_check.h"
#include "quantity.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/dist/init.h"
#include "taper/nn/module.h"
#include "taper/ops/random.h"
#include "taper/optim/make.h"
#include "usage_error.h"

namespace taper::cli {
namespace {

struct PlanOptions {
  ModelOptions model{};
  std::vector<std::string> inputs, units;
  std::string ranks = "8..1024", bandwidth = "100Gbit/s", latency = "5us", node_bandwidth,
              node_latency, algorithm = "best", optimizer = "Adam";
  int ranks_per_node = 1;
  double speedup = 1;
  bool ids = false, prefetch = false, check = false;
};

std::vector<taper::Shape> input_shapes(const PlanOptions& o) {
  std::vector<taper::Shape> shapes;
  for (const std::string& text : o.inputs) shapes.push_back(parse_shape(text));
  if (!shapes.empty()) return shapes;
  const auto usual = usual_input_of(o.model);
  if (!usual) throw UsageError("--input is required for this model");
  return {*usual};
}

taper::Values make_inputs(const PlanOptions& o, const std::vector<taper::Shape>& shapes) {
  taper::Values inputs;
  for (const taper::Shape& shape : shapes)
    inputs.push_back(o.ids ? taper::randint(0, 2, shape) : taper::randn(shape));
  return inputs;
}

planning::OptimizerFactory optimizer_factory(const PlanOptions& o) {
  const auto names = taper::optim::optimizer_names();
  if (std::find(names.begin(), names.end(), o.optimizer) == names.end())
    throw UsageError("--optimizer: unknown optimizer '" + printable(o.optimizer) +
                     "', see torch.optim");
  // Without a learning rate, the values of the parameters remain those of a new network.
  return [name = o.optimizer](taper::optim::Params params) {
    return taper::optim::make(name, std::move(params), taper::Value::dict({{"lr", 0.0}}));
  };
}

planning::Cluster cluster_of(const PlanOptions& o) {
  planning::Cluster cluster{.ranks_per_node = o.ranks_per_node};
  cluster.network = {parse_latency("--latency", o.latency),
                     parse_bandwidth("--bandwidth", o.bandwidth)};
  cluster.inside = cluster.network;
  if (!o.node_latency.empty())
    cluster.inside.latency = parse_latency("--node-latency", o.node_latency);
  if (!o.node_bandwidth.empty())
    cluster.inside.bandwidth = parse_bandwidth("--node-bandwidth", o.node_bandwidth);
  try {
    cluster.algorithm = planning::algorithm_named(o.algorithm);
  } catch (const taper::ValueError& error) {
    throw UsageError(std::string("--algorithm: ") + error.what());
  }
  return cluster;
}

/// Runs `f`; adds the shapes of the inputs to an error of the network.
template <class F>
auto with_inputs(const std::vector<taper::Shape>& shapes, const std::string& type, F&& f) {
  try {
    return f();
  } catch (const taper::Error& error) {
    taper::throw_error(error.kind(), fmt::format("{}: a training step failed for input {}: {}",
                                                 type, shapes_text(shapes), error.what()));
  }
}

int plan(Out& out, const PlanOptions& o, bool as_json) {
  const planning::Cluster cluster = cluster_of(o);
  const std::vector<int> ranks = parse_rank_list("--ranks", o.ranks);
  if (cluster.algorithm == planning::Algorithm::hierarchical)
    for (const int n : ranks)
      if (n > o.ranks_per_node && (o.ranks_per_node == 1 || n % o.ranks_per_node != 0))
        throw UsageError(
            fmt::format("--algorithm hierarchical: {} ranks are not a multiple of "
                        "--ranks-per-node, which is {} "
                        "and must be greater than 1",
                        n, o.ranks_per_node));
  const std::vector<taper::Shape> shapes = input_shapes(o);
  const planning::OptimizerFactory factory = optimizer_factory(o);
  const auto module = make_model(o.model);
  PlanReport report{.model = std::string(module->type_name()),
                    .inputs = shapes,
                    .optimizer = o.optimizer,
                    .cluster = cluster};
  report.step = with_inputs(shapes, report.model, [&] {
    return planning::record_step(*module, make_inputs(o, shapes), factory,
                                 {.unit_patterns = o.units});
  });
  for (double* const time : report.step.times()) *time /= o.speedup;
  using planning::Training;
  for (const Training training : planning::kTrainings) {
    if (training == Training::fully_shard_prefetch && !o.prefetch) continue;
    for (const int n : ranks) {
      planning::Cluster of_ranks = cluster;
      of_ranks.ranks = n;
      report.rows.push_back({training, n, simulate(training, report.step, of_ranks)});
    }
  }
  print_plan(out, report, as_json);
  return 0;
}

/// Destroys the default group at the end of a scope.
struct DefaultGroupScope {
  DefaultGroupScope() { distributed::init_process_group(); }
  ~DefaultGroupScope() { distributed::destroy_process_group(); }
  DefaultGroupScope(const DefaultGroupScope&) = delete;
  DefaultGroupScope& operator=(const DefaultGroupScope&) = delete;
};

int check_plan(Out& out, const PlanOptions& o, bool as_json) {
  const std::vector<taper::Shape> shapes = input_shapes(o);
  const planning::OptimizerFactory factory = optimizer_factory(o);
  const DefaultGroupScope scope;
  if (distributed::get_world_size() == 1)
    throw UsageError(
        "--check requires several processes: taper run -n 2 taper plan-dist ... --check");
  const auto make = [&] {
    taper::manual_seed(1);
    return make_model(o.model);
  };
  const std::string type(make()->type_name());
  const bool is_gloo = distributed::get_backend() == "gloo";
  const planning::CheckResult result = with_inputs(shapes, type, [&] {
    return planning::check_predictions(
        {.make_module = make,
         .inputs = make_inputs(o, shapes),
         .make_optimizer = factory,
         .unit_patterns = o.units,
         .algorithm = is_gloo ? planning::Algorithm::gloo : planning::Algorithm::ring});
  });
  if (distributed::get_rank() == 0)
    print_check(out, {type, shapes, distributed::get_world_size(), distributed::get_backend()},
                result, as_json);
  return 0;
}

}  // namespace

void add_plan_dist(Commands& commands) {
  CLI::App& sub = commands.add(
      "plan-dist", "predict distributed training on many ranks from a step on this machine",
      "  taper plan-dist resnet18 --input 8x3x64x64\n"
      "  taper plan-dist gpt2 --ids --input 2x128 --ranks 8..1024 --ranks-per-node 8 "
      "--bandwidth 200Gbit/s --latency 3us --node-bandwidth 300GB/s\n"
      "  taper run -n 2 taper plan-dist resnet18 --input 8x3x64x64 --check    compares the "
      "prediction with 2 processes");
  const auto o = std::make_shared<PlanOptions>();
  add_model_options(sub, o->model);
  sub.add_option("--input", o->inputs,
                 "input shape with the batch of a rank first, such as 8x3x224x224; repeatable; "
                 "optional for the networks of Taper")
      ->type_name("SHAPE")
      ->allow_extra_args(false);
  sub.add_flag("--ids", o->ids, "the inputs are ids of words (int64)");
  sub.add_option("--optimizer", o->optimizer, "class of the optimizer")
      ->type_name("NAME")
      ->capture_default_str();
  sub.add_option("--unit", o->units,
                 "pattern of the paths of modules that fully_shard divides, such as 'layers.*'; "
                 "repeatable; default: the modules of Sequential, ModuleList and ModuleDict")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  CLI::Option* const check = sub.add_flag(
      "--check", o->check,
      "measure the network and the steps of the processes that taper run has started, and compare "
      "them with the prediction");
  const auto add = [&](const char* name, std::string& value, const char* what, const char* type) {
    sub.add_option(name, value, what)->type_name(type)->capture_default_str()->excludes(check);
  };
  add("--ranks", o->ranks, "numbers of ranks: 2,4 or 8..1024, which doubles", "LIST");
  add("--bandwidth", o->bandwidth, "bandwidth of the network link of a node", "RATE");
  add("--latency", o->latency, "latency of a message between nodes", "TIME");
  add("--node-bandwidth", o->node_bandwidth,
      "bandwidth between two ranks of a node; default: --bandwidth", "RATE");
  add("--node-latency", o->node_latency, "latency between two ranks of a node; default: --latency",
      "TIME");
  add("--algorithm", o->algorithm,
      "algorithm of collectives: ring, tree, hierarchical, gloo, or the best for each", "NAME");
  sub.add_option("--ranks-per-node", o->ranks_per_node, "number of ranks that share a link")
      ->check(integer_in_range(1, 65536))
      ->type_name("N")
      ->capture_default_str()
      ->excludes(check);
  sub.add_option("--speedup", o->speedup, "speed of the computation relative to this machine")
      ->check(positive_number())
      ->type_name("FACTOR")
      ->capture_default_str()
      ->excludes(check);
  sub.add_flag("--prefetch", o->prefetch, "predict fully_shard with prefetching in forward, too")
      ->excludes(check);
  commands.set_action(sub, [o, &common = commands.common](Out& out) {
    return o->check ? check_plan(out, *o, common.json) : plan(out, *o, common.json);
  });
}

}  // namespace taper::cli
