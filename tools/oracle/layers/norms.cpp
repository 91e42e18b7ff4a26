#include "layers/table.h"
#include "taper/nn/batchnorm.h"

namespace taper::oracle {
namespace {

template <class Layer> Built batch_norm(Arguments& a) {
  const std::int64_t features = a.integer("num_features");
  nn::BatchNormOptions o;
  o.eps = a.number("eps", o.eps);
  // None is an average over all batches, which is not the default.
  if (const Value* momentum = a.next("momentum"))
    o.momentum = momentum->is_none() ? std::nullopt : std::optional(momentum->as_double());
  o.affine = a.boolean("affine", o.affine);
  o.track_running_stats = a.boolean("track_running_stats", o.track_running_stats);
  o.bias = a.boolean("bias", o.bias);
  o.dtype = a.optional_dtype("dtype");
  a.done();
  return std::make_shared<Layer>(features, o);
}

}  // namespace

void add_norms(LayerTable& table) {
  table["BatchNorm1d"] = batch_norm<nn::BatchNorm1d>;
  table["BatchNorm2d"] = batch_norm<nn::BatchNorm2d>;
  table["BatchNorm3d"] = batch_norm<nn::BatchNorm3d>;
}

}  // namespace taper::oracle
