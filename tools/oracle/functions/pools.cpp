// Pooling and normalization.
#include "functions/table.h"
#include "taper/nn/functional/normalization.h"
#include "taper/nn/functional/pooling.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

Value pair_value(const std::pair<Tensor, Tensor>& pair) {
  return Value::tuple({pair.first, pair.second});
}

/// A function and the one that also returns indices, selected by the argument return_indices.
template <class Function, class WithIndices>
Value with_or_without_indices(bool wanted, Function&& function, WithIndices&& with_indices) {
  return wanted ? pair_value(with_indices()) : Value(function());
}

/// `name` as a function object, which chooses the overload.
#define TAPER_FUNCTION(name) [](const auto&... arguments) { return F::name(arguments...); }

template <auto function, auto with_indices> Value max_pool(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape kernel = a.shape("kernel_size");
  MaxPool2dFuncOptions o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.dilation = a.shape("dilation", o.dilation);
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  const bool wanted = a.boolean("return_indices", false);
  a.done();
  return with_or_without_indices(
      wanted, [&] { return function(x, kernel, o); }, [&] { return with_indices(x, kernel, o); });
}

template <auto function, class Options> Value avg_pool(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape kernel = a.shape("kernel_size");
  Options o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  o.count_include_pad = a.boolean("count_include_pad", o.count_include_pad);
  if constexpr (requires { o.divisor_override; })
    o.divisor_override = a.optional_integer("divisor_override");
  a.done();
  return function(x, kernel, o);
}

Value call_adaptive_avg_pool2d(Arguments& a) {
  const Tensor x = a.tensor("input");
  const AdaptiveSize size = a.optional_integers("output_size");
  a.done();
  return F::adaptive_avg_pool2d(x, size);
}

template <auto function, auto with_indices> Value adaptive_max_pool(Arguments& a) {
  const Tensor x = a.tensor("input");
  const AdaptiveSize size = a.optional_integers("output_size");
  const bool wanted = a.boolean("return_indices", a.callee().starts_with("torch."));
  a.done();
  return with_or_without_indices(
      wanted, [&] { return function(x, size); }, [&] { return with_indices(x, size); });
}

template <auto function> Value lp_pool(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double norm_type = a.number("norm_type");
  const Shape kernel = a.shape("kernel_size");
  F::LPPool2dFuncOptions o;
  o.stride = a.optional_shape("stride");
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  a.done();
  return function(x, norm_type, kernel, o);
}

template <auto function> Value max_unpool(Arguments& a) {
  const Tensor x = a.tensor("input"), indices = a.tensor("indices");
  const Shape kernel = a.shape("kernel_size");
  F::MaxUnpool2dFuncOptions o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.output_size = a.optional_shape("output_size");
  a.done();
  return function(x, indices, kernel, o);
}

template <auto function, auto with_indices> Value fractional_max_pool(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape kernel = a.shape("kernel_size");
  F::FractionalMaxPool2dFuncOptions o;
  o.output_size = a.optional_shape("output_size");
  if (const Value ratio = a.peek("output_ratio") ? a.value("output_ratio") : Value();
      !ratio.is_none()) {
    o.output_ratio.emplace();
    if (ratio.is_list() || ratio.is_tuple())
      for (const Value& r : ratio.as_sequence()) o.output_ratio->push_back(r.as_double());
    else
      o.output_ratio->push_back(ratio.as_double());
  }
  const bool wanted = a.boolean("return_indices", false);
  if (const auto samples = a.optional_tensor("_random_samples")) o._random_samples = *samples;
  a.done();
  return with_or_without_indices(
      wanted, [&] { return function(x, kernel, o); }, [&] { return with_indices(x, kernel, o); });
}

Value call_batch_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::optional<Tensor> mean = a.optional_tensor("running_mean"),
                              var = a.optional_tensor("running_var");
  F::BatchNormFuncOptions o;
  o.weight = a.optional_tensor("weight");
  o.bias = a.optional_tensor("bias");
  o.training = a.boolean("training", false);
  o.momentum = a.number("momentum", o.momentum);
  o.eps = a.number("eps", o.eps);
  a.done();
  return F::batch_norm(x, mean, var, o);
}

Value call_instance_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  F::InstanceNormFuncOptions o;
  o.running_mean = a.optional_tensor("running_mean");
  o.running_var = a.optional_tensor("running_var");
  o.weight = a.optional_tensor("weight");
  o.bias = a.optional_tensor("bias");
  o.use_input_stats = a.boolean("use_input_stats", true);
  o.momentum = a.number("momentum", o.momentum);
  o.eps = a.number("eps", o.eps);
  a.done();
  return F::instance_norm(x, o);
}

}  // namespace

void add_pools(FunctionTable& table) {
  table["max_pool1d"] =
      max_pool<TAPER_FUNCTION(max_pool1d), TAPER_FUNCTION(max_pool1d_with_indices)>;
  table["F.max_pool2d"] =
      max_pool<TAPER_FUNCTION(max_pool2d), TAPER_FUNCTION(max_pool2d_with_indices)>;
  table["max_pool3d"] =
      max_pool<TAPER_FUNCTION(max_pool3d), TAPER_FUNCTION(max_pool3d_with_indices)>;
  table["avg_pool1d"] = avg_pool<TAPER_FUNCTION(avg_pool1d), AvgPool1dFuncOptions>;
  table["F.avg_pool2d"] = avg_pool<TAPER_FUNCTION(avg_pool2d), F::AvgPool2dFuncOptions>;
  table["F.avg_pool3d"] = avg_pool<TAPER_FUNCTION(avg_pool3d), F::AvgPool3dFuncOptions>;
  table["adaptive_max_pool1d"] =
      adaptive_max_pool<F::adaptive_max_pool1d, F::adaptive_max_pool1d_with_indices>;
  table["F.adaptive_max_pool2d"] =
      adaptive_max_pool<F::adaptive_max_pool2d, F::adaptive_max_pool2d_with_indices>;
  table["F.adaptive_max_pool3d"] =
      adaptive_max_pool<F::adaptive_max_pool3d, F::adaptive_max_pool3d_with_indices>;
  table["F.lp_pool1d"] = lp_pool<TAPER_FUNCTION(lp_pool1d)>;
  table["F.lp_pool2d"] = lp_pool<TAPER_FUNCTION(lp_pool2d)>;
  table["F.lp_pool3d"] = lp_pool<TAPER_FUNCTION(lp_pool3d)>;
  table["F.max_unpool1d"] = max_unpool<TAPER_FUNCTION(max_unpool1d)>;
  table["F.max_unpool2d"] = max_unpool<TAPER_FUNCTION(max_unpool2d)>;
  table["F.max_unpool3d"] = max_unpool<TAPER_FUNCTION(max_unpool3d)>;
  table["F.fractional_max_pool2d"] =
      fractional_max_pool<F::fractional_max_pool2d, F::fractional_max_pool2d_with_indices>;
  table["F.fractional_max_pool3d"] =
      fractional_max_pool<F::fractional_max_pool3d, F::fractional_max_pool3d_with_indices>;
  table["F.adaptive_avg_pool2d"] = call_adaptive_avg_pool2d;
  table["F.batch_norm"] = call_batch_norm;
  table["F.instance_norm"] = call_instance_norm;
}

}  // namespace taper::oracle
