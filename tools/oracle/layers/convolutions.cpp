#include "layers/table.h"
#include "taper/nn/conv.h"

namespace taper::oracle {
namespace {

template <class Layer> Built convolution(Arguments& a) {
  const std::int64_t in = a.integer("in_channels"), out = a.integer("out_channels");
  const Shape kernel = a.shape("kernel_size");
  nn::ConvOptions o;
  o.stride = a.shape("stride", o.stride);
  if (const Value* padding = a.next("padding"))
    o.padding =
        padding->is_string() ? nn::Padding(padding->as_string()) : nn::Padding(shape_of(*padding));
  o.dilation = a.shape("dilation", o.dilation);
  o.groups = a.integer("groups", o.groups);
  o.bias = a.boolean("bias", o.bias);
  o.padding_mode = a.text("padding_mode", o.padding_mode);
  o.dtype = a.optional_dtype("dtype");
  a.done();
  return std::make_shared<Layer>(in, out, kernel, o);
}

}  // namespace

void add_convolutions(LayerTable& table) {
  table["Conv1d"] = convolution<nn::Conv1d>;
  table["Conv2d"] = convolution<nn::Conv2d>;
  table["Conv3d"] = convolution<nn::Conv3d>;
}

}  // namespace taper::oracle
