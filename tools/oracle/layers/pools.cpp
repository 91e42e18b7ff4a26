#include "layers/table.h"
#include "taper/nn/pooling.h"

namespace taper::oracle {
namespace {

Built max_pool(Arguments& a) {
  const Shape kernel = a.shape("kernel_size");
  nn::MaxPool2dOptions o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.dilation = a.shape("dilation", o.dilation);
  o.return_indices = a.boolean("return_indices", o.return_indices);
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  a.done();
  return std::make_shared<nn::MaxPool2d>(kernel, o);
}

Built avg_pool(Arguments& a) {
  const Shape kernel = a.shape("kernel_size");
  nn::AvgPool2dOptions o;
  o.stride = a.optional_shape("stride");
  o.padding = a.shape("padding", o.padding);
  o.ceil_mode = a.boolean("ceil_mode", o.ceil_mode);
  o.count_include_pad = a.boolean("count_include_pad", o.count_include_pad);
  o.divisor_override = a.optional_integer("divisor_override");
  a.done();
  return std::make_shared<nn::AvgPool2d>(kernel, o);
}

// A size of None keeps the input's: -1 here.
Built adaptive_avg_pool(Arguments& a) {
  const Shape size = a.sizes_or_none("output_size");
  a.done();
  return std::make_shared<nn::AdaptiveAvgPool2d>(size);
}

}  // namespace

void add_pools(LayerTable& table) {
  table["MaxPool2d"] = max_pool;
  table["AvgPool2d"] = avg_pool;
  table["AdaptiveAvgPool2d"] = adaptive_avg_pool;
}

}  // namespace taper::oracle
