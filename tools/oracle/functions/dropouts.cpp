#include "functions/table.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

using Dropout = Tensor (*)(const Tensor&, FloatArg, bool, bool);

template <Dropout function, bool kTraining> Value drop(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double p = a.number("p", 0.5);
  const bool training = a.boolean("training", kTraining), inplace = a.boolean("inplace", false);
  a.done();
  return function(x, p, training, inplace);
}

}  // namespace

void add_dropouts(FunctionTable& table) {
  namespace F = nn::functional;
  table["F.dropout"] = drop<F::dropout, true>;
  table["F.dropout1d"] = drop<F::dropout1d, true>;
  table["F.dropout2d"] = drop<F::dropout2d, true>;
  table["F.dropout3d"] = drop<F::dropout3d, true>;
  table["F.alpha_dropout"] = drop<F::alpha_dropout, false>;
  table["F.feature_alpha_dropout"] = drop<F::feature_alpha_dropout, false>;
}

}  // namespace taper::oracle
