#include "taper/nn/other_pooling.h"

#include "core/check.h"
#include "nn/layers/indexed_pool.h"
#include "nn/layers/text.h"
#include "nn/registry/layer_schema.h"

namespace taper::nn {
namespace {

Shape for_dims(const Shape& list, std::size_t dims) {
  return list.size() == 1 ? Shape::filled(dims, list[0]) : list;
}

using Ratios = std::optional<std::vector<double>>;

}  // namespace

template <> struct ArgumentForm<Ratios> {
  static Value value(const Ratios& stored, bool) {
    return stored ? Value::tuple(Values(stored->begin(), stored->end())) : Value();
  }
};
template <> struct ArgumentForm<OptionalNumbers> : ArgumentForm<Ratios> {
  static OptionalNumbers read(const Arguments& a, std::string_view name) {
    const Value& given = a[name];
    if (given.is_none()) return {};
    if (!given.is_list() && !given.is_tuple()) return given.as_double();
    std::vector<double> all;
    for (const Value& v : given.as_sequence()) all.push_back(v.as_double());
    return all;
  }
};
template <std::derived_from<MaxUnpoolBase> L> constexpr bool kStoresTuples<L> = true;
template <std::derived_from<FractionalMaxPoolBase> L> constexpr bool kStoresTuples<L> = true;

LPPoolBase::LPPoolBase(const Scalar& norm, const Shape& kernel, const LPPoolOptions& o)
    : norm_type(norm), kernel_size(kernel), stride(o.stride), ceil_mode(o.ceil_mode) {}
std::string LPPoolBase::extra_repr() const {
  return "norm_type=" + norm_type.str() + ", kernel_size=" + sizes_text(kernel_size) +
         ", stride=" + (stride ? sizes_text(*stride) : "None") +
         ", ceil_mode=" + python_text(ceil_mode);
}

MaxUnpoolBase::MaxUnpoolBase(std::size_t dims, const Shape& kernel, const MaxUnpoolOptions& o)
    : kernel_size(for_dims(kernel, dims)),
      stride(for_dims(o.stride.value_or(kernel), dims)),
      padding(for_dims(o.padding, dims)) {}
std::string MaxUnpoolBase::extra_repr() const {
  return "kernel_size=" + tuple_text(kernel_size) + ", stride=" + tuple_text(stride) +
         ", padding=" + tuple_text(padding);
}

FractionalMaxPoolBase::FractionalMaxPoolBase(std::string_view name, std::size_t dims,
                                             const Shape& kernel, const FractionalMaxPoolOptions& o)
    : kernel_size(for_dims(kernel, dims)),
      return_indices(o.return_indices),
      output_size(o.output_size),
      output_ratio(o.output_ratio) {
  if (o._random_samples) _random_samples.emplace(*o._random_samples);
  if (output_size) output_size = for_dims(*output_size, dims);
  if (output_ratio && output_ratio->size() == 1) output_ratio->resize(dims, (*output_ratio)[0]);
  if (!output_size && !output_ratio)
    fail<ValueError>("{} requires specifying either an output size, or a pooling ratio", name);
  if (output_size && output_ratio)
    fail<ValueError>("{}: only one of output_size and output_ratio may be specified", name);
  if (output_ratio)
    for (const double r : *output_ratio)
      if (!(r > 0 && r < 1))
        fail<ValueError>("{}: output_ratio must be between 0 and 1 (got {})", name, r);
}
functional::FractionalMaxPool2dFuncOptions FractionalMaxPoolBase::function_options() const {
  return {
      .output_size = output_size, .output_ratio = output_ratio, ._random_samples = _random_samples};
}

#define TAPER_LP_POOL(Name, function)                                              \
  TAPER_LAYER_MEMBERS(Name)                                                        \
  Tensor Name::forward(const Tensor& input) const {                                \
    return functional::function(called(input), norm_type.to_double(), kernel_size, \
                                {.stride = stride, .ceil_mode = ceil_mode});       \
  }                                                                                \
  TAPER_OPTIONS_SCHEMA(Name, "pooling", norm_type, kernel_size)
TAPER_LP_POOL(LPPool1d, lp_pool1d)
TAPER_LP_POOL(LPPool2d, lp_pool2d)
TAPER_LP_POOL(LPPool3d, lp_pool3d)

#define TAPER_MAX_UNPOOL(Name, function)                                                       \
  TAPER_DETAIL_LAYER_CALLS(Name)                                                               \
  TAPER_DETAIL_LAYER_CLASS(Name) {}                                                            \
  Tensor Name::forward(const Tensor& input, const Tensor& indices, const OutputSizeOptions& o) \
      const {                                                                                  \
    return functional::function(                                                               \
        input, indices, kernel_size,                                                           \
        {.stride = stride, .padding = padding, .output_size = o.output_size});                 \
  }                                                                                            \
  TAPER_OPTIONS_SCHEMA(Name, "pooling", kernel_size)
TAPER_MAX_UNPOOL(MaxUnpool1d, max_unpool1d)
TAPER_MAX_UNPOOL(MaxUnpool2d, max_unpool2d)
TAPER_MAX_UNPOOL(MaxUnpool3d, max_unpool3d)

TAPER_DETAIL_LAYER_CLASS(FractionalMaxPool2d) { TAPER_DETAIL_VISIT(_random_samples); }
TAPER_INDEXED_POOL(FractionalMaxPool2d, fractional_max_pool2d, kernel_size, function_options())
TAPER_OPTIONS_SCHEMA(FractionalMaxPool2d, "pooling", kernel_size)

TAPER_DETAIL_LAYER_CLASS(FractionalMaxPool3d) { TAPER_DETAIL_VISIT(_random_samples); }
TAPER_INDEXED_POOL(FractionalMaxPool3d, fractional_max_pool3d, kernel_size, function_options())
TAPER_OPTIONS_SCHEMA(FractionalMaxPool3d, "pooling", kernel_size)

}  // namespace taper::nn
