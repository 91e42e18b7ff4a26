#include "taper/nn/activation.h"

#include "nn/layers/text.h"
#include "taper/core/error.h"
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
TAPER_LAYER_MEMBERS(Tanh)
TAPER_LAYER_MEMBERS(Sigmoid)

namespace F = functional;

namespace {

std::string with_inplace(std::string text, bool inplace) {
  if (!inplace) return text;
  return text + (text.empty() ? "" : ", ") + "inplace=True";
}

}  // namespace

Tensor ReLU::forward(const Tensor& x) { return F::relu(x, inplace); }
std::string ReLU::extra_repr() const { return with_inplace("", inplace); }

Hardtanh::Hardtanh(const Scalar& minimum, const Scalar& maximum, const ActivationOptions& o)
    : min_val(minimum), max_val(maximum), inplace(o.inplace) {
  if (!(min_val.to_double() < max_val.to_double()))
    throw ValueError("Hardtanh: min_val must be less than max_val: got " + min_val.str() + " and " +
                     max_val.str());
}
Tensor Hardtanh::forward(const Tensor& x) { return F::hardtanh(x, min_val, max_val, inplace); }
std::string Hardtanh::extra_repr() const {
  return with_inplace("min_val=" + min_val.str() + ", max_val=" + max_val.str(), inplace);
}

Tensor ReLU6::forward(const Tensor& x) { return F::relu6(x, inplace); }
std::string ReLU6::extra_repr() const { return with_inplace("", inplace); }

Tensor LeakyReLU::forward(const Tensor& x) { return F::leaky_relu(x, negative_slope, inplace); }
std::string LeakyReLU::extra_repr() const {
  return with_inplace("negative_slope=" + text(negative_slope), inplace);
}

Tensor RReLU::forward(const Tensor& x) { return F::rrelu(x, lower, upper, training, inplace); }
std::string RReLU::extra_repr() const {
  return with_inplace("lower=" + text(lower) + ", upper=" + text(upper), inplace);
}

Tensor Threshold::forward(const Tensor& x) { return F::threshold(x, threshold, value, inplace); }
std::string Threshold::extra_repr() const {
  return with_inplace("threshold=" + threshold.str() + ", value=" + value.str(), inplace);
}

Tensor ELU::forward(const Tensor& x) { return F::elu(x, alpha, inplace); }
std::string ELU::extra_repr() const { return with_inplace("alpha=" + alpha.str(), inplace); }

Tensor SELU::forward(const Tensor& x) { return F::selu(x, inplace); }
std::string SELU::extra_repr() const { return with_inplace("", inplace); }

Tensor Hardswish::forward(const Tensor& x) { return F::hardswish(x, inplace); }

Tensor Hardshrink::forward(const Tensor& x) { return F::hardshrink(x, lambd); }
std::string Hardshrink::extra_repr() const { return lambd.str(); }

Tensor Softshrink::forward(const Tensor& x) { return F::softshrink(x, lambd); }
std::string Softshrink::extra_repr() const { return lambd.str(); }

Tensor Tanh::forward(const Tensor& x) { return x.tanh(); }
Tensor Sigmoid::forward(const Tensor& x) { return x.sigmoid(); }

}  // namespace taper::nn
