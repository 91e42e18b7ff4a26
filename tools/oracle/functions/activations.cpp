// Activations with limits, and padding.
#include "functions/table.h"
#include "taper/core/tensor.h"
#include "taper/nn/functional.h"

namespace taper::oracle {
namespace {

namespace F = nn::functional;

// In-place variants are selected by a trailing underscore or an argument.
template <bool inplace> Value hardtanh_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar low = a.scalar("min_val", Scalar(-1.0)), high = a.scalar("max_val", Scalar(1.0));
  const bool in_place = inplace || a.boolean("inplace", false);
  a.done();
  return F::hardtanh(x, low, high, in_place);
}

template <bool inplace> Value threshold_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar limit = a.scalar("threshold"), otherwise = a.scalar("value");
  const bool in_place = inplace || a.boolean("inplace", false);
  a.done();
  return F::threshold(x, limit, otherwise, in_place);
}

Value relu6_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool in_place = a.boolean("inplace", false);
  a.done();
  return F::relu6(x, in_place);
}

template <bool inplace> Value selu_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const bool in_place = inplace || a.boolean("inplace", false);
  a.done();
  return F::selu(x, in_place);
}

Value softsign_(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return F::softsign(x);
}

Value pad_(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Shape counts = a.shape("pad");
  const std::string mode = a.text("mode", "constant");
  const Value* given = a.next("value");
  const Scalar value = given && !given->is_none() ? scalar_of(*given) : Scalar(0.0);
  a.done();
  return F::pad(x, counts, mode, value);
}

}  // namespace

void add_activations(FunctionTable& table) {
  table["F.hardtanh"] = hardtanh_<false>;
  table["F.hardtanh_"] = hardtanh_<true>;
  table["F.threshold"] = threshold_<false>;
  table["F.threshold_"] = threshold_<true>;
  table["F.relu6"] = relu6_;
  table["F.selu"] = selu_<false>;
  table["F.selu_"] = selu_<true>;
  table["F.softsign"] = softsign_;
  table["F.pad"] = pad_;
}

}  // namespace taper::oracle
