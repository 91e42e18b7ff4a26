#include "functions/table.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

template <class Options> using Dropout = Tensor (*)(const Tensor&, const Options&);

template <class Options, Dropout<Options> function> Value drop(Arguments& a) {
  const Tensor x = a.tensor("input");
  Options o;
  o.p = a.number("p", o.p);
  o.training = a.boolean("training", o.training);
  o.inplace = a.boolean("inplace", false);
  a.done();
  return function(x, o);
}

}  // namespace

void add_dropouts(FunctionTable& table) {
  namespace F = nn::functional;
  table["F.dropout"] = drop<F::DropoutFuncOptions, F::dropout>;
  table["F.dropout1d"] = drop<F::DropoutFuncOptions, F::dropout1d>;
  table["F.dropout2d"] = drop<F::DropoutFuncOptions, F::dropout2d>;
  table["F.dropout3d"] = drop<F::DropoutFuncOptions, F::dropout3d>;
  table["F.alpha_dropout"] = drop<F::AlphaDropoutFuncOptions, F::alpha_dropout>;
  table["F.feature_alpha_dropout"] = drop<F::AlphaDropoutFuncOptions, F::feature_alpha_dropout>;
}

}  // namespace taper::oracle
