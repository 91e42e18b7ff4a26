#include "taper/nn/activation.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
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

std::string append_inplace(std::string text, bool inplace) {
  if (!inplace) return text;
  return text + (text.empty() ? "" : ", ") + "inplace=True";
}

}  // namespace

Tensor ReLU::forward(const Tensor& x) const { return F::relu(x, {.inplace = inplace}); }
std::string ReLU::extra_repr() const { return append_inplace("", inplace); }

Hardtanh::Hardtanh(const HardtanhOptions& o)
    : min_val(o.min_val), max_val(o.max_val), inplace(o.inplace) {
  if (!(min_val.to_double() < max_val.to_double()))
    fail<ValueError>("Hardtanh: min_val must be less than max_val: got {} and {}", min_val.str(),
                     max_val.str());
}
Tensor Hardtanh::forward(const Tensor& x) const {
  return F::hardtanh(x, min_val, max_val, {.inplace = inplace});
}
std::string Hardtanh::extra_repr() const {
  return append_inplace("min_val=" + min_val.str() + ", max_val=" + max_val.str(), inplace);
}

Tensor ReLU6::forward(const Tensor& x) const { return F::relu6(x, {.inplace = inplace}); }
std::string ReLU6::extra_repr() const { return append_inplace("", inplace); }

Tensor LeakyReLU::forward(const Tensor& x) const {
  return F::leaky_relu(x, negative_slope, {.inplace = inplace});
}
std::string LeakyReLU::extra_repr() const {
  return append_inplace("negative_slope=" + python_text(negative_slope), inplace);
}

Tensor RReLU::forward(const Tensor& x) const {
  return F::rrelu(x, lower, upper, {.training = training, .inplace = inplace});
}
std::string RReLU::extra_repr() const {
  return append_inplace("lower=" + python_text(lower) + ", upper=" + python_text(upper), inplace);
}

Tensor Threshold::forward(const Tensor& x) const {
  return F::threshold(x, threshold, value, {.inplace = inplace});
}
std::string Threshold::extra_repr() const {
  return append_inplace("threshold=" + threshold.str() + ", value=" + value.str(), inplace);
}

Tensor ELU::forward(const Tensor& x) const { return F::elu(x, alpha, {.inplace = inplace}); }
std::string ELU::extra_repr() const { return append_inplace("alpha=" + alpha.str(), inplace); }

Tensor SELU::forward(const Tensor& x) const { return F::selu(x, {.inplace = inplace}); }
std::string SELU::extra_repr() const { return append_inplace("", inplace); }

Tensor Hardswish::forward(const Tensor& x) const { return F::hardswish(x, {.inplace = inplace}); }

Tensor Hardshrink::forward(const Tensor& x) const { return F::hardshrink(x, lambd); }
std::string Hardshrink::extra_repr() const { return lambd.str(); }

Tensor Softshrink::forward(const Tensor& x) const { return F::softshrink(x, lambd); }
std::string Softshrink::extra_repr() const { return lambd.str(); }

Tensor Softsign::forward(const Tensor& x) const { return F::softsign(x); }

Tensor Tanh::forward(const Tensor& x) const { return x.tanh(); }
Tensor Sigmoid::forward(const Tensor& x) const { return x.sigmoid(); }

Tensor SiLU::forward(const Tensor& x) const { return F::silu(x, {.inplace = inplace}); }
std::string SiLU::extra_repr() const { return append_inplace("", inplace); }
Tensor Mish::forward(const Tensor& x) const { return F::mish(x, {.inplace = inplace}); }
std::string Mish::extra_repr() const { return append_inplace("", inplace); }
Tensor Hardsigmoid::forward(const Tensor& x) const {
  return F::hardsigmoid(x, {.inplace = inplace});
}
Tensor LogSigmoid::forward(const Tensor& x) const { return F::logsigmoid(x); }
Tensor Tanhshrink::forward(const Tensor& x) const { return F::tanhshrink(x); }

Tensor CELU::forward(const Tensor& x) const { return F::celu(x, alpha, {.inplace = inplace}); }
std::string CELU::extra_repr() const { return append_inplace("alpha=" + alpha.str(), inplace); }

Tensor Softplus::forward(const Tensor& x) const { return F::softplus(x, beta, threshold); }
std::string Softplus::extra_repr() const {
  return "beta=" + beta.str() + ", threshold=" + threshold.str();
}

Tensor GLU::forward(const Tensor& x) const { return F::glu(x, dim); }
std::string GLU::extra_repr() const { return "dim=" + std::to_string(dim); }

namespace {

template <class L> constexpr ModuleSchema inplace_schema(std::string_view name) {
  return layer_schema<L>(
      name, "activation", "inplace=False",
      [](const Arguments& a) { return L({.inplace = a.flag("inplace")}); },
      [](const L& m) -> Values { return {m.inplace}; });
}

template <class L> constexpr ModuleSchema alpha_schema(std::string_view name) {
  return layer_schema<L>(
      name, "activation", "alpha=1.0, inplace=False",
      [](const Arguments& a) { return L(a.scalar("alpha"), {.inplace = a.flag("inplace")}); },
      [](const L& m) -> Values {
        return {m.alpha, m.inplace};
      });
}

template <class L> constexpr ModuleSchema shrink_schema(std::string_view name) {
  return layer_schema<L>(
      name, "activation", "lambd=0.5", [](const Arguments& a) { return L(a.scalar("lambd")); },
      [](const L& m) -> Values { return {m.lambd}; });
}

/// Returns the argument `name`. If its deprecated name `old` was used, warns and returns that
/// argument.
Scalar deprecated_argument(const Arguments& a, std::string_view name, std::string_view old) {
  if (a[old].is_none()) return a.scalar(name);
  warn("keyword argument `" + std::string(old) + "` is deprecated and rename to `" +
       std::string(name) + "`");
  return a.scalar(old);
}

}  // namespace

const ModuleSchema& module_schema(const ReLU*) {
  static constexpr ModuleSchema schema = inplace_schema<ReLU>("ReLU");
  return schema;
}
const ModuleSchema& module_schema(const ReLU6*) {
  static constexpr ModuleSchema schema = inplace_schema<ReLU6>("ReLU6");
  return schema;
}
const ModuleSchema& module_schema(const SELU*) {
  static constexpr ModuleSchema schema = inplace_schema<SELU>("SELU");
  return schema;
}
const ModuleSchema& module_schema(const Hardswish*) {
  static constexpr ModuleSchema schema = inplace_schema<Hardswish>("Hardswish");
  return schema;
}
const ModuleSchema& module_schema(const Hardshrink*) {
  static constexpr ModuleSchema schema = shrink_schema<Hardshrink>("Hardshrink");
  return schema;
}
const ModuleSchema& module_schema(const Softshrink*) {
  static constexpr ModuleSchema schema = shrink_schema<Softshrink>("Softshrink");
  return schema;
}
const ModuleSchema& module_schema(const Softsign*) {
  static constexpr ModuleSchema schema = plain_schema<Softsign>("Softsign", "activation");
  return schema;
}
const ModuleSchema& module_schema(const Tanh*) {
  static constexpr ModuleSchema schema = plain_schema<Tanh>("Tanh", "activation");
  return schema;
}
const ModuleSchema& module_schema(const Sigmoid*) {
  static constexpr ModuleSchema schema = plain_schema<Sigmoid>("Sigmoid", "activation");
  return schema;
}

const ModuleSchema& module_schema(const SiLU*) {
  static constexpr ModuleSchema schema = inplace_schema<SiLU>("SiLU");
  return schema;
}
const ModuleSchema& module_schema(const Mish*) {
  static constexpr ModuleSchema schema = inplace_schema<Mish>("Mish");
  return schema;
}
const ModuleSchema& module_schema(const Hardsigmoid*) {
  static constexpr ModuleSchema schema = inplace_schema<Hardsigmoid>("Hardsigmoid");
  return schema;
}
const ModuleSchema& module_schema(const LogSigmoid*) {
  static constexpr ModuleSchema schema = plain_schema<LogSigmoid>("LogSigmoid", "activation");
  return schema;
}
const ModuleSchema& module_schema(const Tanhshrink*) {
  static constexpr ModuleSchema schema = plain_schema<Tanhshrink>("Tanhshrink", "activation");
  return schema;
}

const ModuleSchema& module_schema(const Hardtanh*) {
  static constexpr ModuleSchema schema = layer_schema<Hardtanh>(
      "Hardtanh", "activation",
      "min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None",
      [](const Arguments& a) {
        return Hardtanh(deprecated_argument(a, "min_val", "min_value"),
                        deprecated_argument(a, "max_val", "max_value"),
                        {.inplace = a.flag("inplace")});
      },
      [](const Hardtanh& m) -> Values {
        return {m.min_val, m.max_val, m.inplace};
      });
  return schema;
}

const ModuleSchema& module_schema(const LeakyReLU*) {
  static constexpr ModuleSchema schema = layer_schema<LeakyReLU>(
      "LeakyReLU", "activation", "negative_slope=0.01, inplace=False",
      [](const Arguments& a) {
        return LeakyReLU(a.number("negative_slope"), {.inplace = a.flag("inplace")});
      },
      [](const LeakyReLU& m) -> Values {
        return {m.negative_slope, m.inplace};
      });
  return schema;
}

const ModuleSchema& module_schema(const RReLU*) {
  static constexpr ModuleSchema schema = layer_schema<RReLU>(
      "RReLU", "activation", "lower=0.125, upper=0.3333333333333333, inplace=False",
      [](const Arguments& a) {
        return RReLU(a.number("lower"), a.number("upper"), {.inplace = a.flag("inplace")});
      },
      [](const RReLU& m) -> Values {
        return {m.lower, m.upper, m.inplace};
      });
  return schema;
}

const ModuleSchema& module_schema(const Threshold*) {
  static constexpr ModuleSchema schema = layer_schema<Threshold>(
      "Threshold", "activation", "threshold, value, inplace=False",
      [](const Arguments& a) {
        return Threshold(a.scalar("threshold"), a.scalar("value"), {.inplace = a.flag("inplace")});
      },
      [](const Threshold& m) -> Values {
        return {m.threshold, m.value, m.inplace};
      });
  return schema;
}

const ModuleSchema& module_schema(const ELU*) {
  static constexpr ModuleSchema schema = alpha_schema<ELU>("ELU");
  return schema;
}
const ModuleSchema& module_schema(const CELU*) {
  static constexpr ModuleSchema schema = alpha_schema<CELU>("CELU");
  return schema;
}

const ModuleSchema& module_schema(const Softplus*) {
  static constexpr ModuleSchema schema = layer_schema<Softplus>(
      "Softplus", "activation", "beta=1.0, threshold=20.0",
      [](const Arguments& a) { return Softplus(a.scalar("beta"), a.scalar("threshold")); },
      [](const Softplus& m) -> Values {
        return {m.beta, m.threshold};
      });
  return schema;
}

const ModuleSchema& module_schema(const GLU*) {
  static constexpr ModuleSchema schema = layer_schema<GLU>(
      "GLU", "activation", "dim=-1", [](const Arguments& a) { return GLU(a.integer("dim")); },
      [](const GLU& m) -> Values { return {m.dim}; });
  return schema;
}

}  // namespace taper::nn
