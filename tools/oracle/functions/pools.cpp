// Pooling and normalization.
#include "functions/table.h"
#include "taper/nn/functional/normalization.h"
#include "taper/ops/pool.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

Value call_max_pool2d(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape kernel = a.shape("kernel_size");
  MaxPool2dFuncOptions o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.dilation = a.shape("dilation", o.dilation);
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  const bool with_indices = a.boolean("return_indices", false);
  a.done();
  if (!with_indices) return max_pool2d(x, kernel, o);
  const auto [values, indices] = max_pool2d_with_indices(x, kernel, o);
  return Value::tuple({values, indices});
}

Value call_avg_pool2d(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape kernel = a.shape("kernel_size");
  AvgPool2dOptions o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  o.count_include_pad = a.boolean("count_include_pad", o.count_include_pad);
  o.divisor_override = a.optional_integer("divisor_override");
  a.done();
  return avg_pool2d(x, kernel, o);
}

Value call_adaptive_avg_pool2d(Arguments& a) {
  const Tensor x = a.tensor("input");
  const AdaptiveSize size = a.optional_integers("output_size");
  a.done();
  return adaptive_avg_pool2d(x, size);
}

/// Calls F::batch_norm or F::instance_norm. `flag` is the name of the argument that selects the
/// statistics of the input.
template <class Function>
Value call_norm(Arguments& a, const char* flag, bool default_flag, Function function) {
  const Tensor x = a.tensor("input");
  const std::optional<Tensor> mean = a.optional_tensor("running_mean"),
                              var = a.optional_tensor("running_var"),
                              weight = a.optional_tensor("weight"),
                              bias = a.optional_tensor("bias");
  const bool uses_input_stats = a.boolean(flag, default_flag);
  const double momentum = a.number("momentum", 0.1), eps = a.number("eps", 1e-5);
  a.done();
  return function(x, mean, var, weight, bias, uses_input_stats, momentum, eps);
}

}  // namespace

void add_pools(FunctionTable& table) {
  table["F.max_pool2d"] = call_max_pool2d;
  table["F.avg_pool2d"] = call_avg_pool2d;
  table["F.adaptive_avg_pool2d"] = call_adaptive_avg_pool2d;
  table["F.batch_norm"] = [](Arguments& a) {
    return call_norm(a, "training", false,
                     [](const auto&... args) { return F::batch_norm(args...); });
  };
  table["F.instance_norm"] = [](Arguments& a) {
    return call_norm(a, "use_input_stats", true,
                     [](const auto&... args) { return F::instance_norm(args...); });
  };
}

}  // namespace taper::oracle
