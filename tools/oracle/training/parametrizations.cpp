// Kinds of the family utils on computed tensors.
#include "taper/nn/utils/parametrizations.h"
#include "cases/outcome.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional_call.h"
#include "taper/nn/linear.h"
#include "training/model.h"
#include "training/utils_kinds.h"

namespace taper::oracle {
namespace {

namespace parametrize = nn::utils::parametrize;
namespace parametrizations = nn::utils::parametrizations;

const std::string kStem = "parametrizations.weight.";

using Named = std::vector<std::pair<std::string, Tensor>>;

Named named(const std::vector<nn::NamedTensor>& tensors) {
  Named all;
  for (const nn::NamedTensor& t : tensors) all.emplace_back(t.name, t.value);
  return all;
}

void expect_names(Case& c, const std::string& field, const Named& actual) {
  Values names;
  for (const auto& [name, t] : actual) names.emplace_back(name);
  Values expected;
  for (const Json& name : c.at(field)) expected.emplace_back(name.get<std::string>());
  c.expect_text(field, Value::list(names).repr(), Value::list(expected).repr());
}

void expect_state(Case& c, const std::string& prefix, nn::Module& m) {
  for (const auto& [key, t] : state_entries(m))
    c.expect_close(prefix + key, t, c.tensor(prefix + key));
}

Tensor weighted_sum(const Tensor& y) {
  return (y * linspace(-1, 1, y.numel(), {.dtype = y.dtype()}).view(y.shape())).sum();
}

/// Compares the output for the input `x` with tensor `role`, and the gradients of its weighted sum
/// with the stored ones.
void expect_call(Case& c, nn::Module& m, const std::string& role) {
  const Tensor x = c.tensor("x").clone().requires_grad_();
  const Tensor y = m(x);
  c.expect_close(role, y, c.tensor(role));
  weighted_sum(y).backward();
  c.expect_close("grad.x", x.grad(), c.tensor("grad.x"));
  for (const auto& [name, p] : named(m.named_parameters()))
    c.expect_close("grad." + name, p.grad(), c.tensor("grad." + name));
}

Built layer_with_weights(Case& c) {
  Built layer = layer_of(c.text("layer"), c.at("args"), {});
  layer->load_state_dict(Value::dict({{"weight", c.tensor("weight")}, {"bias", c.tensor("bias")}}));
  return layer;
}

/// Parametrizes a symmetric matrix by its upper triangle.
struct Symmetric : nn::Module {
  TAPER_MODULE(Symmetric)
  Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).t(); }
  Tensor right_inverse(const Tensor& x) { return x.triu(); }
};

void run_weight_norm(Case& c) {
  const Built layer = layer_with_weights(c);
  std::optional<std::int64_t> dim;
  if (!c.at("dim").is_null()) dim = c.integer("dim");
  c.ignore({"grad_of"});
  parametrizations::weight_norm(*layer, "weight", dim);
  {
    const NoGrad guard;
    layer->get_parameter(kStem + "original0").mul_(1.5);
  }
  expect_names(c, "keys", state_entries(*layer));
  c.expect_text("repr", layer->str(), c.text("repr"));
  expect_state(c, "state.", *layer);
  expect_call(c, *layer, "y");
  parametrize::remove_parametrizations(*layer, "weight");
  c.expect_close("weight_after", layer->get_parameter("weight"), c.tensor("weight_after"));
  expect_names(c, "keys_after_removal", state_entries(*layer));
  expect_names(c, "named_parameters_after_removal", named(layer->named_parameters()));
}

void run_spectral_norm(Case& c) {
  const Built layer = layer_with_weights(c);
  nn::utils::SpectralNormOptions options;
  for (const auto& [name, value] : c.at("options").items()) {
    if (name == "n_power_iterations")
      options.n_power_iterations = value;
    else if (name == "eps")
      options.eps = value;
    else if (name == "dim")
      options.dim = value.get<std::int64_t>();
    else
      throw MalformedCase("unknown option " + name);
  }
  manual_seed(static_cast<std::uint64_t>(c.integer("seed")));
  parametrizations::spectral_norm(*layer, "weight", options);
  expect_names(c, "keys", state_entries(*layer));
  expect_names(c, "buffers", named(layer->named_buffers()));
  expect_state(c, "state0.", *layer);
  expect_call(c, *layer, "y1");
  expect_state(c, "state1.", *layer);
  c.expect_close("y2_train", (*layer)(c.tensor("x")), c.tensor("y2_train"));
  layer->eval();
  for (int i = 0; i < 2; ++i) {
    c.expect_close("y3_eval", (*layer)(c.tensor("x")), c.tensor("y3_eval"));
    c.expect_close("weight_eval", parametrize::value(*layer, "weight"), c.tensor("weight_eval"));
  }
}

void run_orthogonal(Case& c) {
  const auto shape = c.at("shape").get<std::vector<std::int64_t>>();
  nn::Linear layer(shape.at(1), shape.at(0), {.bias = false, .dtype = DType::f64});
  layer.load_state_dict(Value::dict({{"weight", c.tensor("weight_orthogonal")}}));
  parametrizations::OrthogonalOptions options;
  std::string map;
  for (const auto& [name, value] : c.at("options").items()) {
    if (name == "orthogonal_map")
      options.orthogonal_map = map = value.get<std::string>();
    else if (name == "use_trivialization")
      options.use_trivialization = value;
    else
      throw MalformedCase("unknown option " + name);
  }
  parametrizations::orthogonal(layer, "weight", options);
  expect_names(c, "keys", state_entries(layer));
  Value state = Value::dict();
  for (const auto& [key, t] : state_entries(layer)) state[key] = c.tensor("state." + key);
  layer.load_state_dict(state);
  const Tensor weight = parametrize::value(layer, "weight");
  c.expect_close("weight", weight, c.tensor("weight"));
  weighted_sum(weight).backward();
  c.expect_close("grad.original", layer.get_parameter(kStem + "original").grad(),
                 c.tensor("grad.original"));
  c.tensor("weight_before");  // an informative tensor, which is not compared
}

void run_parametrize(Case& c) {
  nn::Linear layer(3, 3, {.dtype = DType::f64});
  {
    const NoGrad guard;
    layer.weight.copy_(c.tensor("weight"));
  }
  c.ignore({"forward", "right_inverse"});
  parametrize::register_parametrization(layer, "weight", Symmetric());
  const Tensor original = layer.get_parameter(kStem + "original");
  c.expect_close("weight_symmetric", layer.weight, c.tensor("weight_symmetric"));
  c.expect_close("original", original, c.tensor("original"));
  expect_names(c, "keys", state_entries(layer));
  c.expect_text("repr", layer.str(), c.text("repr"));
  c.expect_text("class", std::string(layer.type_name()), c.text("class_name_while_parametrized"));
  layer.set_attr("weight", Value(c.tensor("assigned")));
  c.expect_close("original_after_assign", original, c.tensor("original_after_assign"));
  c.expect_close("weight_after_assign", layer.get_attr("weight").as_tensor(),
                 c.tensor("weight_after_assign"));
  parametrize::remove_parametrizations(layer, "weight", false);
  c.expect_close("weight_after_removal_unparametrized", layer.weight,
                 c.tensor("weight_after_removal_unparametrized"));
  expect_names(c, "keys_after", state_entries(layer));
}

void run_functional_call(Case& c) {
  const Built layer = layer_of(c.text("layer"), c.at("args"), {});
  Value state = Value::dict(), given = Value::dict();
  for (const auto& [key, t] : state_entries(*layer)) state[key] = c.tensor("state." + key);
  layer->load_state_dict(state);
  for (const Json& key : c.at("given"))
    given[key.get<std::string>()] = c.tensor("given." + key.get<std::string>());
  c.expect_close("y", nn::functional_call(*layer, given, c.tensor("x")).as_tensor(), c.tensor("y"));
  expect_state(c, "state.", *layer);
}

}  // namespace

void add_parametrization_kinds(UtilsKinds& kinds) {
  kinds["weight_norm"] = run_weight_norm;
  kinds["spectral_norm"] = run_spectral_norm;
  kinds["orthogonal"] = run_orthogonal;
  kinds["parametrize"] = run_parametrize;
  kinds["functional_call"] = run_functional_call;
}

}  // namespace taper::oracle
