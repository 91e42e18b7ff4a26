#include "taper/nn/activation.h"

#include "core/check.h"
#include "nn/registry/layer_schema.h"
#include "taper/core/warning.h"
#include "taper/nn/functional/activation.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(ReLU)
TAPER_LAYER_MEMBERS(Hardtanh)
TAPER_LAYER_MEMBERS(ReLU6)
TAPER_LAYER_MEMBERS(LeakyReLU)
TAPER_LAYER_MEMBERS(RReLU)
TAPER_LAYER_MEMBERS(Threshold)
TAPER_LAYER_MEMBERS(ELU)
TAPER_LAYER_MEMBERS(SELU)
TAPER_LAYER_MEMBERS(Hardswish)
TAPER_LAYER_MEMBERS(Hardshrink)
TAPER_LAYER_MEMBERS(Softshrink)
TAPER_LAYER_MEMBERS(Softsign)
TAPER_LAYER_MEMBERS(Tanh)
TAPER_LAYER_MEMBERS(Sigmoid)
TAPER_LAYER_MEMBERS(SiLU)
TAPER_LAYER_MEMBERS(Mish)
TAPER_LAYER_MEMBERS(Hardsigmoid)
TAPER_LAYER_MEMBERS(CELU)
TAPER_LAYER_MEMBERS(Softplus)
TAPER_LAYER_MEMBERS(LogSigmoid)
TAPER_LAYER_MEMBERS(Tanhshrink)
TAPER_LAYER_MEMBERS(GLU)

namespace F = functional;

namespace {

/// Formats the fields as Python prints those of an activation: `inplace` only if it is set.
template <class Options> std::string options_text(const Options& options) {
  std::string text;
  for (const auto& [name, value] : arguments_of<void, Options>(options)) {
    if (name == "inplace" && !value.as_bool()) continue;
    text += (text.empty() ? "" : ", ") + std::string(name) + "=" + value.repr();
  }
  return text;
}

}  // namespace

Tensor ReLU::forward(const Tensor& x) const { return F::relu(called(x), *this); }
std::string ReLU::extra_repr() const { return options_text(*this); }

Hardtanh::Hardtanh(const HardtanhOptions& o) : Layer(o) {
  if (!(min_val.to_double() < max_val.to_double()))
    fail<ValueError>("Hardtanh: min_val must be less than max_val: got {} and {}", min_val.str(),
                     max_val.str());
}
Tensor Hardtanh::forward(const Tensor& x) const { return F::hardtanh(called(x), *this); }
std::string Hardtanh::extra_repr() const { return options_text(*this); }

Tensor ReLU6::forward(const Tensor& x) const { return F::relu6(called(x), *this); }
std::string ReLU6::extra_repr() const { return options_text(*this); }

Tensor LeakyReLU::forward(const Tensor& x) const { return F::leaky_relu(called(x), *this); }
std::string LeakyReLU::extra_repr() const { return options_text(*this); }

Tensor RReLU::forward(const Tensor& x) const {
  return F::rrelu(called(x), lower, upper, {.training = training, .inplace = inplace});
}
std::string RReLU::extra_repr() const { return options_text(*this); }

Tensor Threshold::forward(const Tensor& x) const {
  return F::threshold(called(x), threshold, value, {.inplace = inplace});
}
std::string Threshold::extra_repr() const {
  return "threshold=" + threshold.str() + ", value=" + value.str() +
         (inplace ? ", inplace=True" : "");
}

Tensor ELU::forward(const Tensor& x) const { return F::elu(called(x), *this); }
std::string ELU::extra_repr() const { return options_text(*this); }

Tensor SELU::forward(const Tensor& x) const { return F::selu(called(x), *this); }
std::string SELU::extra_repr() const { return options_text(*this); }

Tensor Hardswish::forward(const Tensor& x) const { return F::hardswish(called(x), *this); }

Tensor Hardshrink::forward(const Tensor& x) const { return F::hardshrink(called(x), *this); }
std::string Hardshrink::extra_repr() const { return lambd.str(); }

Tensor Softshrink::forward(const Tensor& x) const { return F::softshrink(called(x), *this); }
std::string Softshrink::extra_repr() const { return lambd.str(); }

Tensor Softsign::forward(const Tensor& x) const { return F::softsign(called(x)); }

Tensor Tanh::forward(const Tensor& x) const { return called(x).tanh(); }
Tensor Sigmoid::forward(const Tensor& x) const { return called(x).sigmoid(); }

Tensor SiLU::forward(const Tensor& x) const { return F::silu(called(x), *this); }
std::string SiLU::extra_repr() const { return options_text(*this); }
Tensor Mish::forward(const Tensor& x) const { return F::mish(called(x), *this); }
std::string Mish::extra_repr() const { return options_text(*this); }
Tensor Hardsigmoid::forward(const Tensor& x) const { return F::hardsigmoid(called(x), *this); }
Tensor LogSigmoid::forward(const Tensor& x) const { return F::logsigmoid(called(x)); }
Tensor Tanhshrink::forward(const Tensor& x) const { return F::tanhshrink(called(x)); }

Tensor CELU::forward(const Tensor& x) const { return F::celu(called(x), *this); }
std::string CELU::extra_repr() const { return options_text(*this); }

Tensor Softplus::forward(const Tensor& x) const { return F::softplus(called(x), *this); }
std::string Softplus::extra_repr() const { return options_text(*this); }

Tensor GLU::forward(const Tensor& x) const { return F::glu(called(x), *this); }
std::string GLU::extra_repr() const { return options_text(*this); }

namespace {

/// Reads a bound of Hardtanh by its deprecated name, if it was used.
void read_deprecated(ScalarArg& bound, const Arguments& a, const std::string& name,
                     const std::string& old) {
  if (a[old].is_none()) return;
  warn("keyword argument `" + old + "` is deprecated and rename to `" + name + "`");
  bound = a.scalar(old);
}
constexpr auto kReadBounds = [](HardtanhOptions& options, const Arguments& a) {
  read_deprecated(options.min_val, a, "min_val", "min_value");
  read_deprecated(options.max_val, a, "max_val", "max_value");
};

}  // namespace

TAPER_OPTIONS_SCHEMA(ReLU, "activation")
TAPER_OPTIONS_SCHEMA(ReLU6, "activation")
TAPER_OPTIONS_SCHEMA(SELU, "activation")
TAPER_OPTIONS_SCHEMA(Hardswish, "activation")
TAPER_OPTIONS_SCHEMA(Hardshrink, "activation")
TAPER_OPTIONS_SCHEMA(Softshrink, "activation")
TAPER_SCHEMA(Softsign, "activation")
TAPER_SCHEMA(Tanh, "activation")
TAPER_SCHEMA(Sigmoid, "activation")
TAPER_OPTIONS_SCHEMA(SiLU, "activation")
TAPER_OPTIONS_SCHEMA(Mish, "activation")
TAPER_OPTIONS_SCHEMA(Hardsigmoid, "activation")
TAPER_SCHEMA(LogSigmoid, "activation")
TAPER_SCHEMA(Tanhshrink, "activation")

TAPER_SCHEMA_AS(Hardtanh, HardtanhOptions, "activation",
                "min_val, max_val, inplace, min_value, max_value", kReadBounds)

TAPER_OPTIONS_SCHEMA(LeakyReLU, "activation")
TAPER_OPTIONS_SCHEMA(RReLU, "activation")

TAPER_OPTIONS_SCHEMA(Threshold, "activation", threshold, value)

TAPER_OPTIONS_SCHEMA(ELU, "activation")
TAPER_OPTIONS_SCHEMA(CELU, "activation")
TAPER_OPTIONS_SCHEMA(Softplus, "activation")
TAPER_OPTIONS_SCHEMA(GLU, "activation")

}  // namespace taper::nn
