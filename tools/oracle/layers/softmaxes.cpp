#include "layers/table.h"
#include "taper/nn/softmax.h"

namespace taper::oracle {
namespace {

template <class Layer> Built along(Arguments& a) {
  const auto dim = a.optional_integer("dim");
  a.done();
  return dim ? std::make_shared<Layer>(*dim) : std::make_shared<Layer>();
}

}  // namespace

void add_softmaxes(LayerTable& table) {
  table["Softmax"] = along<nn::Softmax>;
  table["LogSoftmax"] = along<nn::LogSoftmax>;
  table["Softmin"] = along<nn::Softmin>;
}

}  // namespace taper::oracle
