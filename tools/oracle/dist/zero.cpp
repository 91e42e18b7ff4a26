// Family zero: ZeroRedundancyOptimizer.
#include <algorithm>

#include "cases/outcome.h"
#include "dist/families.h"
#include "dist/kinds.h"
#include "dist/rank_training.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/dist/zero_redundancy_optimizer.h"
#include "training/fields.h"
#include "training/optimizers.h"

namespace taper::oracle {
namespace {

using distributed::ZeroRedundancyOptimizer;

std::vector<Tensor> leaves_of(const std::vector<Tensor>& values) {
  std::vector<Tensor> leaves;
  for (const Tensor& t : values) leaves.push_back(t.requires_grad_());
  return leaves;
}

std::vector<Tensor> zero_leaves(RankCase& c) {
  std::vector<Tensor> params;
  for (const Json& shape : c.at("shapes"))
    params.push_back(zeros(shape.get<std::vector<std::int64_t>>()));
  return leaves_of(params);
}

optim::ParamGroup group_of(const Json& spec, const std::vector<Tensor>& params) {
  std::vector<Tensor> members;
  for (const Json& i : spec.at("params")) members.push_back(params.at(i.get<std::size_t>()));
  optim::ParamGroup group(std::move(members));
  Json options = spec;
  options.erase("params");
  for (const auto& [name, value] : options_of(options)) group.options()[name] = value;
  return group;
}

std::unique_ptr<ZeroRedundancyOptimizer> make_zero(RankCase& c, const std::vector<Tensor>& params) {
  const std::string name = c.text("optimizer");
  const Options options = options_of(c.at("args"));
  optim::Params all(params);
  if (const Json* groups = c.find("groups")) {
    std::vector<optim::ParamGroup> list;
    for (const Json& spec : *groups) list.push_back(group_of(spec, params));
    all = optim::Params(std::move(list));
  }
  return std::make_unique<ZeroRedundancyOptimizer>(
      std::move(all),
      [&](optim::Params mine) { return make_optimizer(name, std::move(mine), options); },
      distributed::ZeroRedundancyOptions{.parameters_as_bucket_view =
                                             flag(c, "bucket_view", false)});
}

/// Returns the numbers of the parameters of the groups of an optimizer, in order.
std::vector<std::size_t> numbers_of(const optim::Optimizer& optimizer,
                                    const std::vector<Tensor>& params) {
  std::vector<std::size_t> numbers;
  for (const optim::ParamGroup& group : optimizer.param_groups())
    for (const Tensor& p : group.params())
      for (std::size_t i = 0; i < params.size(); ++i)
        if (params[i].is_same(p)) numbers.push_back(i);
  return numbers;
}

/// Stores the owner of each parameter, and the parameters of each rank and group.
void store_owners(ZeroRedundancyOptimizer& optimizer, const std::vector<Tensor>& params,
                  const Value& out) {
  const std::vector<std::size_t> numbers = numbers_of(optimizer, params);
  std::map<std::size_t, std::size_t> owner;
  Value order = Value::list(), owners = Value::list();
  const auto partition = optimizer.partition();
  for (std::size_t r = 0; r < partition.size(); ++r) {
    Value groups = Value::list();
    for (const auto& group : partition[r]) {
      Value members = Value::list();
      for (const std::size_t i : group) {
        members.append(numbers.at(i));
        owner[numbers.at(i)] = r;
      }
      groups.append(members);
    }
    order.append(groups);
  }
  for (const auto& [number, rank] : owner) owners.append(rank);
  out["owner"] = owners;
  out["order"] = order;
}

Value run_partition(RankCase& c) {
  const std::vector<Tensor> params = zero_leaves(c);
  const auto optimizer = make_zero(c, params);
  Value out = Value::dict();
  store_owners(*optimizer, params, out);
  if (const Json* added = c.find("added")) {
    optimizer->add_param_group(group_of({{"params", *added}}, params));
    Value after = Value::dict();
    store_owners(*optimizer, params, after);
    out["after"] = after;
  }
  return out;
}

void set_gradients(RankCase& c, const std::vector<Tensor>& params, const Value& grads,
                   std::int64_t step) {
  const Json* skip = c.find("skip");
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Json* steps = nullptr;
    if (skip && skip->contains(std::to_string(i))) steps = &skip->at(std::to_string(i));
    const bool skips = steps && std::find(steps->begin(), steps->end(), Json(step)) != steps->end();
    params[i].set_grad(skips ? Tensor() : grads.as_list()[i].as_tensor()[step].clone());
  }
}

/// Returns a state dict without tuples, which the cases do not distinguish from lists.
Value without_tuples(const Value& value) {
  if (value.is_list() || value.is_tuple()) {
    Values items;
    for (const Value& item : value.as_sequence()) items.push_back(without_tuples(item));
    return Value::list(std::move(items));
  }
  if (!value.is_dict()) return value;
  Value copy = Value::dict();
  for (const auto& [key, item] : value.as_dict()) copy.as_dict().set(key, without_tuples(item));
  return copy;
}

Value run_steps(RankCase& c) {
  const std::vector<Tensor> params = leaves_of(tensors_of(c.read("params")));
  const Value grads = c.read("grads");
  const auto optimizer = make_zero(c, params);
  Value out = Value::dict();
  store_owners(*optimizer, params, out);
  if (c.find("load")) optimizer->load_state_dict(c.read("load"));
  const Json* rates = c.find("lr");
  std::vector<std::vector<Tensor>> history(params.size());
  const auto last = c.at("last").get<std::int64_t>();
  for (std::int64_t t = c.at("first").get<std::int64_t>(); t < last; ++t) {
    set_gradients(c, params, grads, t);
    if (rates)
      for (const optim::ParamGroup& group : optimizer->param_groups())
        group["lr"] = rates->at(static_cast<std::size_t>(t)).get<double>();
    optimizer->step();
    for (std::size_t i = 0; i < params.size(); ++i)
      history[i].push_back(params[i].detach().clone());
  }
  Value stacked = Value::list(), with_state = Value::list();
  for (const auto& steps : history) stacked.append(stack(steps));
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!optimizer->local_optimizer().state(params[i]).is_none()) with_state.append(i);
  out["params"] = stacked;
  out["local_state"] = with_state;
  const int to = c.at("to").get<int>();
  optimizer->consolidate_state_dict(to);
  out["state_dict"] = c.rank() == to ? without_tuples(optimizer->state_dict()) : Value();
  return out;
}

Value run_zero_error(RankCase& c) {
  const std::vector<Tensor> params = zero_leaves(c);
  const std::string attempt = c.text("attempt");
  return c.attempt([&] {
    const auto optimizer = make_zero(c, params);
    if (attempt == "state_dict") {
      static_cast<void>(optimizer->state_dict());
    } else if (attempt == "consolidated elsewhere") {
      optimizer->consolidate_state_dict(0);
      static_cast<void>(optimizer->state_dict());
    } else if (attempt == "same parameter again") {
      optimizer->add_param_group(optim::ParamGroup(std::vector{params[0]}));
    } else if (attempt != "construct") {
      throw MalformedCase("unknown attempt '" + attempt + "'");
    }
  });
}

}  // namespace

void run_zero(Case& c) {
  static const std::map<std::string, RankFunction> kinds = {{"partition", run_partition},
                                                            {"steps", run_steps},
                                                            {"train", run_ddp_train},
                                                            {"error", run_zero_error}};
  run_on_ranks(c, kinds);
}

}  // namespace taper::oracle
