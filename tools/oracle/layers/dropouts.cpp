#include "layers/table.h"
#include "taper/nn/dropout.h"

namespace taper::oracle {
namespace {

template <class Layer> Built dropout(Arguments& a) {
  const Scalar p = a.scalar("p", 0.5);
  const bool inplace = a.boolean("inplace", false);
  a.done();
  return std::make_shared<Layer>(p, nn::DropoutOptions{.inplace = inplace});
}

}  // namespace

void add_dropouts(LayerTable& table) {
  table["Dropout"] = dropout<nn::Dropout>;
  table["Dropout1d"] = dropout<nn::Dropout1d>;
  table["Dropout2d"] = dropout<nn::Dropout2d>;
  table["Dropout3d"] = dropout<nn::Dropout3d>;
  table["AlphaDropout"] = dropout<nn::AlphaDropout>;
  table["FeatureAlphaDropout"] = dropout<nn::FeatureAlphaDropout>;
}

}  // namespace taper::oracle
