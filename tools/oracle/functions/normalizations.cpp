// Layer, group, RMS and local response normalization.
#include "functions/table.h"
#include "taper/nn/functional/normalization.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

Value call_layer_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape shape = a.shape("normalized_shape");
  const std::optional<Tensor> weight = a.optional_tensor("weight"),
                              bias = a.optional_tensor("bias");
  const double eps = a.number("eps", 1e-5);
  a.next("cudnn_enable");
  a.done();
  return F::layer_norm(x, shape, {.weight = weight, .bias = bias, .eps = eps});
}

Value call_group_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t groups = a.integer("num_groups");
  const std::optional<Tensor> weight = a.optional_tensor("weight"),
                              bias = a.optional_tensor("bias");
  const double eps = a.number("eps", 1e-5);
  a.next("cudnn_enabled");
  a.done();
  return F::group_norm(x, groups, {.weight = weight, .bias = bias, .eps = eps});
}

Value call_rms_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape shape = a.shape("normalized_shape");
  const std::optional<Tensor> weight = a.optional_tensor("weight");
  const std::optional<double> eps = a.optional_number("eps");
  a.done();
  return F::rms_norm(x, shape, {.weight = weight, .eps = eps});
}

Value call_local_response_norm(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::int64_t size = a.integer("size");
  const double alpha = a.number("alpha", 1e-4), beta = a.number("beta", 0.75),
               k = a.number("k", 1.0);
  a.done();
  return F::local_response_norm(x, size, {.alpha = alpha, .beta = beta, .k = k});
}

Value call_normalize(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double p = a.number("p", 2.0);
  const Shape dims = a.shape("dim", Shape{1});
  const double eps = a.number("eps", 1e-12);
  a.done();
  return F::normalize(x, {.p = p, .dim = dims, .eps = eps});
}

}  // namespace

void add_normalizations(FunctionTable& table) {
  table["layer_norm"] = call_layer_norm;
  table["group_norm"] = call_group_norm;
  table["rms_norm"] = call_rms_norm;
  table["F.normalize"] = call_normalize;
  table["F.local_response_norm"] = call_local_response_norm;
}

}  // namespace taper::oracle
