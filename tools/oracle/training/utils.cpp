// Family utils: functions on parameters and modules.
#include "cases/outcome.h"
#include "layers/build.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/nn/utils/convert_parameters.h"
#include "taper/nn/utils/fusion.h"
#include "training/families.h"
#include "training/fields.h"
#include "training/model.h"
#include "training/utils_kinds.h"

namespace taper::oracle {
namespace {

namespace utils = nn::utils;

Tensor with_grad(const Tensor& grad) {
  const Tensor p = zeros_like(grad).requires_grad_();
  p.set_grad(grad.clone());
  return p;
}

void run_clip_grad_norm(Case& c) {
  std::vector<Tensor> parameters;
  for (int i = 0; c.has_tensor("grad" + std::to_string(i)); ++i)
    parameters.push_back(with_grad(c.tensor("grad" + std::to_string(i))));
  const std::size_t graded = parameters.size();
  for (std::int64_t i = c.integer("params_without_grad"); i > 0; --i)
    parameters.push_back(zeros({2}, {.dtype = parameters[0].dtype()}).requires_grad_());
  c.ignore({"dtype"});
  const Tensor total = utils::clip_grad_norm_(parameters, c.at("max_norm").get<double>(),
                                              {.norm_type = Fields::number_of(c.at("norm_type"))});
  c.expect_close("total_norm", total, c.tensor("total_norm"));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string role = "clipped" + std::to_string(i);
    if (i < graded)
      c.expect_close(role, parameters[i].grad(), c.tensor(role));
    else if (parameters[i].grad().defined())
      c.fail("a parameter got a gradient");
  }
}

void run_clip_grad_value(Case& c) {
  const Tensor p = with_grad(c.tensor("grad"));
  utils::clip_grad_value_(p, c.at("clip_value").get<double>());
  c.expect_close("clipped", p.grad(), c.tensor("clipped"));
}

void run_parameters_to_vector(Case& c) {
  std::vector<Tensor> parameters;
  const auto order = c.at("order").get<std::vector<std::string>>();
  for (const std::string& key : order)
    parameters.push_back(nn::Parameter(c.tensor("state." + key).clone()));
  c.ignore({"model"});
  c.expect_close("vector", utils::parameters_to_vector(parameters), c.tensor("vector"));
  utils::vector_to_parameters(c.tensor("given"), parameters);
  for (std::size_t i = 0; i < order.size(); ++i)
    c.expect_close("after." + order[i], parameters[i], c.tensor("after." + order[i]));
}

void load(Case& c, nn::Module& module, const std::string& prefix) {
  Value state = Value::dict();
  for (const auto& [key, value] : state_entries(module)) state[key] = c.tensor(prefix + key);
  module.load_state_dict(state);
}

template <class Layer> void check_fused(Case& c, const nn::Module& layer, nn::Module& bn) {
  const auto& plain = dynamic_cast<const Layer&>(layer);
  const auto& norm = dynamic_cast<const nn::BatchNormBase&>(bn);
  Layer fused = [&] {
    if constexpr (std::is_same_v<Layer, nn::Linear>)
      return utils::fuse_linear_bn_eval(plain, norm);
    else
      return utils::fuse_conv_bn_eval(plain, norm, plain.transposed);
  }();
  c.expect_close("fused.weight", fused.weight, c.tensor("fused.weight"));
  c.expect_close("fused.bias", *fused.bias, c.tensor("fused.bias"));
  c.expect_close("y", fused(c.tensor("x")), c.tensor("y"));
}

void run_fuse_conv_bn_eval(Case& c) {
  const std::string name = c.text("conv");
  const Json& args = c.at("args");
  const Built layer = layer_of(name, args, c.at("bias").get<bool>());
  const Built bn = layer_of(c.text("bn"), Json::array({args.at(1)}), {});
  load(c, *layer, "conv."), load(c, *bn, "bn.");
  layer->eval(), bn->eval();
  c.expect_close("y_unfused", (*bn)((*layer)(c.tensor("x"))), c.tensor("y_unfused"));
  if (name == "Linear") return check_fused<nn::Linear>(c, *layer, *bn);
  if (name == "Conv1d") return check_fused<nn::Conv1d>(c, *layer, *bn);
  if (name == "Conv2d") return check_fused<nn::Conv2d>(c, *layer, *bn);
  if (name == "Conv3d") return check_fused<nn::Conv3d>(c, *layer, *bn);
  if (name == "ConvTranspose2d") return check_fused<nn::ConvTranspose2d>(c, *layer, *bn);
  throw MalformedCase("unknown layer " + name);
}

}  // namespace

Built layer_of(const std::string& name, const Json& args, std::optional<bool> bias) {
  Values positional;
  for (const Json& a : args) positional.push_back(option_value("", a));
  std::map<std::string, Value> named{{"dtype", DType::f64}};
  if (bias) named.emplace("bias", *bias);
  return make_layer(name, std::move(positional), std::move(named));
}

void run_utils(Case& c) {
  static const UtilsKinds kinds = [] {
    UtilsKinds k = {{"clip_grad_norm", run_clip_grad_norm},
                    {"clip_grad_value", run_clip_grad_value},
                    {"parameters_to_vector", run_parameters_to_vector},
                    {"fuse_conv_bn_eval", run_fuse_conv_bn_eval}};
    add_averaging_kinds(k);
    add_error_kinds(k);
    add_prune_kinds(k);
    add_sequence_kinds(k);
    add_parametrization_kinds(k);
    return k;
  }();
  const std::string kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw Unsupported("utils " + kind);
  read_tolerance(c);
  found->second(c);
}

}  // namespace taper::oracle
