#include "functions/table.h"
#include "taper/ops/conv.h"

namespace taper::oracle {
namespace {

/// Calls conv1d, conv2d or conv3d.
template <std::size_t spatial> Value convolve(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  ConvFuncOptions o{.bias = a.optional_tensor("bias")};
  o.stride = a.shape("stride", o.stride);
  if (const Value* padding = a.next("padding"))
    o.padding = padding->is_string() ? ConvPadding(std::string_view(padding->as_string()))
                                     : ConvPadding(shape_of(*padding));
  o.dilation = a.shape("dilation", o.dilation);
  o.groups = a.integer("groups", o.groups);
  a.done();
  if constexpr (spatial == 1)
    return conv1d(x, weight, o);
  else if constexpr (spatial == 2)
    return conv2d(x, weight, o);
  else
    return conv3d(x, weight, o);
}

template <std::size_t spatial> Value convolve_transposed(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight");
  ConvTransposeFuncOptions o{.bias = a.optional_tensor("bias")};
  o.stride = a.shape("stride", o.stride);
  o.padding = a.shape("padding", o.padding);
  o.output_padding = a.shape("output_padding", o.output_padding);
  o.groups = a.integer("groups", o.groups);
  o.dilation = a.shape("dilation", o.dilation);
  a.done();
  if constexpr (spatial == 1)
    return conv_transpose1d(x, weight, o);
  else if constexpr (spatial == 2)
    return conv_transpose2d(x, weight, o);
  else
    return conv_transpose3d(x, weight, o);
}

Value call_conv_tbc(Arguments& a) {
  const Tensor x = a.tensor("input"), weight = a.tensor("weight"), bias = a.tensor("bias");
  const std::int64_t pad = a.integer("pad", 0);
  a.done();
  return conv_tbc(x, weight, bias, pad);
}

}  // namespace

void add_convolutions(FunctionTable& table) {
  table["F.conv_tbc"] = table["torch.conv_tbc"] = call_conv_tbc;
  table["conv1d"] = convolve<1>;
  table["conv2d"] = convolve<2>;
  table["conv3d"] = convolve<3>;
  table["conv_transpose1d"] = convolve_transposed<1>;
  table["conv_transpose2d"] = convolve_transposed<2>;
  table["conv_transpose3d"] = convolve_transposed<3>;
}

}  // namespace taper::oracle
