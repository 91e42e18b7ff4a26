#include "functions/table.h"
#include "taper/nn/functional/conv.h"
#include "taper/ops/conv.h"

namespace taper::oracle {
namespace {

using Convolution = Tensor (*)(const Tensor&, const Tensor&, OptionalTensorRef,
                               const ConvFuncOptions&);

template <Convolution function> Value convolve(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  ConvFuncOptions o;
  o.stride = a.shape("stride", o.stride);
  if (const Value* padding = a.next("padding"))
    o.padding = padding->is_string() ? ConvPadding(std::string_view(padding->as_string()))
                                     : ConvPadding(shape_of(*padding));
  o.dilation = a.shape("dilation", o.dilation);
  o.groups = a.integer("groups", o.groups);
  a.done();
  return function(x, weight, bias, o);
}

using Transposed = Tensor (*)(const Tensor&, const Tensor&, OptionalTensorRef,
                              const ConvTransposeFuncOptions&);

template <Transposed function> Value convolve_transposed(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  const std::optional<Tensor> bias = a.optional_tensor("bias");
  ConvTransposeFuncOptions o;
  o.stride = a.shape("stride", o.stride);
  o.padding = a.shape("padding", o.padding);
  o.output_padding = a.shape("output_padding", o.output_padding);
  o.groups = a.integer("groups", o.groups);
  o.dilation = a.shape("dilation", o.dilation);
  a.done();
  return function(x, weight, bias, o);
}

Value call_conv_tbc(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight"), bias = a.tensor("bias");
  const std::int64_t pad = a.integer("pad", 0);
  a.done();
  return nn::functional::conv_tbc(x, weight, bias, pad);
}

}  // namespace

void add_convolutions(FunctionTable& table) {
  table["F.conv_tbc"] = table["torch.conv_tbc"] = call_conv_tbc;
  table["conv1d"] = convolve<conv1d>;
  table["conv2d"] = convolve<conv2d>;
  table["conv3d"] = convolve<conv3d>;
  table["conv_transpose1d"] = convolve_transposed<conv_transpose1d>;
  table["conv_transpose2d"] = convolve_transposed<conv_transpose2d>;
  table["conv_transpose3d"] = convolve_transposed<conv_transpose3d>;
}

}  // namespace taper::oracle
