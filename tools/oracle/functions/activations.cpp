// Activations with limits, and padding.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

// In-place variants are selected by a trailing underscore or an argument.
template <bool inplace> Value call_hardtanh(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar low = a.scalar("min_val", Scalar(-1.0)), high = a.scalar("max_val", Scalar(1.0));
  const bool in_place = inplace || a.boolean("inplace", false);
  a.done();
  return F::hardtanh(x, low, high, {.inplace = in_place});
}

template <bool inplace> Value call_threshold(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar limit = a.scalar("threshold"), otherwise = a.scalar("value");
  const bool in_place = inplace || a.boolean("inplace", false);
  a.done();
  return F::threshold(x, limit, otherwise, {.inplace = in_place});
}

Value call_relu6(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool in_place = a.boolean("inplace", false);
  a.done();
  return F::relu6(x, {.inplace = in_place});
}

template <bool inplace> Value call_selu(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool in_place = inplace || a.boolean("inplace", false);
  a.done();
  return F::selu(x, {.inplace = in_place});
}

Value call_softsign(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return F::softsign(x);
}

Value call_pad(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape counts = a.shape("pad");
  const std::string mode = a.text("mode", "constant");
  const Value* given = a.next("value");
  const Scalar value = given && !given->is_none() ? scalar_of(*given) : Scalar(0.0);
  a.done();
  return F::pad(x, counts, {.mode = mode, .value = value});
}

}  // namespace

void add_activations(FunctionTable& table) {
  table["F.hardtanh"] = call_hardtanh<false>;
  table["F.hardtanh_"] = call_hardtanh<true>;
  table["F.threshold"] = call_threshold<false>;
  table["F.threshold_"] = call_threshold<true>;
  table["F.relu6"] = call_relu6;
  table["F.selu"] = call_selu<false>;
  table["F.selu_"] = call_selu<true>;
  table["F.softsign"] = call_softsign;
  table["F.pad"] = call_pad;
}

}  // namespace taper::oracle
