// Functions that draw.
#include "functions/table.h"
#include "taper/nn/functional/dropout.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

template <Tensor (*function)(const Tensor&, double, bool, bool), bool training_by_default>
Value drop(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double p = a.number("p", 0.5);
  const bool training = a.boolean("training", training_by_default);
  const bool inplace = a.boolean("inplace", false);
  a.done();
  return function(x, p, training, inplace);
}

}  // namespace

void add_random(FunctionTable& table) {
  table["F.dropout"] = drop<F::dropout, true>;
  table["F.dropout1d"] = drop<F::dropout1d, true>;
  table["F.dropout2d"] = drop<F::dropout2d, true>;
  table["F.dropout3d"] = drop<F::dropout3d, true>;
  table["F.alpha_dropout"] = drop<F::alpha_dropout, false>;
  table["F.feature_alpha_dropout"] = drop<F::feature_alpha_dropout, false>;
}

}  // namespace taper::oracle
