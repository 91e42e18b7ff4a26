// Pruning of layers.
#include "cases/outcome.h"
#include "taper/core/generator.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
#include "taper/nn/utils/prune.h"
#include "training/fields.h"
#include "training/model.h"
#include "training/utils_kinds.h"

namespace taper::oracle {
namespace {

namespace prune = nn::utils::prune;

std::shared_ptr<nn::Module> layer_with(const Tensor& weight) {
  const Shape& s = weight.shape();
  std::shared_ptr<nn::Module> layer;
  if (s.size() == 2)
    layer = std::make_shared<nn::Linear>(s[1], s[0]);
  else
    layer = std::make_shared<nn::Conv2d>(s[1], s[0], Shape{s[2], s[3]});
  const NoGrad guard;
  layer->get_parameter("weight").copy_(weight);
  return layer;
}

Scalar amount_of(const Json& amount) {
  if (amount.is_number_integer()) return amount.get<std::int64_t>();
  return amount.get<double>();
}

prune::NormOrder order_of(const Json& n) {
  if (n.is_string() && n == "fro") return "fro";
  return Fields::number_of(n);
}

void prune_by(const std::string& method, nn::Module& m, Fields& options) {
  if (method == "identity") {
    prune::identity(m, "weight");
    return options.done();
  }
  const Scalar amount = amount_of(options.at("amount"));
  if (method == "l1_unstructured") {
    prune::l1_unstructured(m, "weight", amount);
  } else if (method == "random_unstructured") {
    prune::random_unstructured(m, "weight", amount);
  } else if (method == "random_structured") {
    prune::random_structured(m, "weight", amount, options.at("dim").get<std::int64_t>());
  } else if (method == "ln_structured") {
    prune::ln_structured(m, "weight", amount, order_of(options.at("n")),
                         options.at("dim").get<std::int64_t>());
  } else {
    throw MalformedCase("unknown method " + method);
  }
  options.done();
}

Json keys_of(nn::Module& m) {
  Json keys = Json::array();
  for (const auto& [key, value] : state_entries(m)) keys.push_back(key);
  return keys;
}

void run_prune(Case& c) {
  c.ignore({"shape"});
  const auto m = layer_with(c.tensor("weight"));
  manual_seed(seed_of(c.at("seed")));
  Fields options(c.at("options"));
  prune_by(c.text("method"), *m, options);
  c.expect_close("mask", m->get_buffer("weight_mask"), c.tensor("mask"));
  c.expect_close("pruned", m->get_attr("weight").as_tensor(), c.tensor("pruned"));
  c.expect_text("keys", keys_of(*m).dump(), c.at("keys").dump());
  Json names = Json::array();
  for (const auto& p : m->named_parameters()) names.push_back(p.name);
  c.expect_text("named_parameters", names.dump(), c.at("named_parameters").dump());
  if (const Json& second = c.at("second"); !second.is_null()) {
    if (second != "l1_unstructured amount 0.5") throw MalformedCase("unknown second pruning");
    prune::l1_unstructured(*m, "weight", 0.5);
    c.expect_close("mask_second", m->get_buffer("weight_mask"), c.tensor("mask_second"));
  }
  prune::remove(*m, "weight");
  c.expect_close("after_remove", m->get_parameter("weight"), c.tensor("after_remove"));
  c.expect_text("keys_after_remove", keys_of(*m).dump(), c.at("keys_after_remove").dump());
}

void run_prune_custom(Case& c) {
  nn::Linear m(4, 3);
  {
    const NoGrad guard;
    m.get_parameter("bias").copy_(c.tensor("original"));
  }
  prune::custom_from_mask(m, "bias", c.tensor("mask"));
  c.expect_close("mask", m.get_buffer("bias_mask").to(c.tensor("mask").dtype()), c.tensor("mask"));
  c.expect_close("pruned", m.get_attr("bias").as_tensor(), c.tensor("pruned"));
  c.expect_text("keys", keys_of(m).dump(), c.at("keys").dump());
}

void run_prune_global(Case& c) {
  nn::Sequential net{nn::Linear(5, 4), nn::Linear(4, 3)};
  const Value state = Value::dict();
  for (const auto& [key, value] : state_entries(net)) state[key] = c.tensor("state." + key);
  net.load_state_dict(state);
  std::vector<prune::Target> targets;
  for (const Json& key : c.at("parameters")) {
    const auto path = key.get<std::string>();
    targets.push_back({net.get_submodule(path.substr(0, 1)), path.substr(2)});
  }
  if (c.text("method") != "L1Unstructured") throw MalformedCase("unknown method");
  prune::global_unstructured<prune::L1Unstructured>(targets, amount_of(c.at("amount")));
  for (const Json& key : c.at("parameters")) {
    const auto path = key.get<std::string>();
    c.expect_close("mask." + path, net.get_buffer(path + "_mask"), c.tensor("mask." + path));
  }
}

}  // namespace

void add_prune_kinds(UtilsKinds& kinds) {
  kinds["prune"] = run_prune;
  kinds["prune_custom"] = run_prune_custom;
  kinds["prune_global"] = run_prune_global;
}

}  // namespace taper::oracle
