// Functions with random results, except dropout.
#include "functions/table.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

template <bool inplace> Value call_rrelu(Arguments& a) {
  const Tensor x = a.tensor("input");
  const double lower = a.number("lower", 1.0 / 8), upper = a.number("upper", 1.0 / 3);
  const bool training = a.boolean("training", false);
  const bool over = inplace || a.boolean("inplace", false);
  a.done();
  return F::rrelu(x, lower, upper, {.training = training, .inplace = over});
}

Value call_gumbel_softmax(Arguments& a) {
  const Tensor logits = a.tensor("logits");
  const double tau = a.number("tau", 1);
  const bool hard = a.boolean("hard", false);
  a.number("eps", 1e-10);  // has no effect in PyTorch either
  const std::int64_t dim = a.integer("dim", -1);
  a.done();
  return F::gumbel_softmax(logits, tau, {.hard = hard, .dim = dim});
}

}  // namespace

void add_random(FunctionTable& table) {
  table["F.rrelu"] = call_rrelu<false>;
  table["F.rrelu_"] = call_rrelu<true>;
  table["F.gumbel_softmax"] = call_gumbel_softmax;
}

}  // namespace taper::oracle
