#include "layers/table.h"
#include "taper/nn/activation.h"

namespace taper::oracle {
namespace {

nn::ActivationOptions inplace(Arguments& a) {
  nn::ActivationOptions o;
  o.inplace = a.boolean("inplace", o.inplace);
  a.done();
  return o;
}

template <class Layer> Built with_inplace(Arguments& a) {
  return std::make_shared<Layer>(inplace(a));
}

template <class Layer> Built plain(Arguments& a) {
  a.done();
  return std::make_shared<Layer>();
}

Built hardtanh(Arguments& a) {
  const Scalar low = a.scalar("min_val", Scalar(-1.0)), high = a.scalar("max_val", Scalar(1.0));
  return std::make_shared<nn::Hardtanh>(low, high, inplace(a));
}

Built leaky_relu(Arguments& a) {
  const double slope = a.number("negative_slope", 0.01);
  return std::make_shared<nn::LeakyReLU>(slope, inplace(a));
}

Built elu(Arguments& a) {
  const Scalar alpha = a.scalar("alpha", Scalar(1.0));
  return std::make_shared<nn::ELU>(alpha, inplace(a));
}

template <class Layer> Built shrink(Arguments& a) {
  const Scalar lambd = a.scalar("lambd", Scalar(0.5));
  a.done();
  return std::make_shared<Layer>(lambd);
}

Built rrelu(Arguments& a) {
  const double lower = a.number("lower", 1.0 / 8), upper = a.number("upper", 1.0 / 3);
  return std::make_shared<nn::RReLU>(lower, upper, inplace(a));
}

Built threshold(Arguments& a) {
  const Scalar limit = a.scalar("threshold"), otherwise = a.scalar("value");
  return std::make_shared<nn::Threshold>(limit, otherwise, inplace(a));
}

}  // namespace

void add_activations(LayerTable& table) {
  table["ReLU"] = with_inplace<nn::ReLU>;
  table["ReLU6"] = with_inplace<nn::ReLU6>;
  table["Hardtanh"] = hardtanh;
  table["LeakyReLU"] = leaky_relu;
  table["ELU"] = elu;
  table["SELU"] = with_inplace<nn::SELU>;
  table["Hardswish"] = with_inplace<nn::Hardswish>;
  table["Hardshrink"] = shrink<nn::Hardshrink>;
  table["Softshrink"] = shrink<nn::Softshrink>;
  table["RReLU"] = rrelu;
  table["Threshold"] = threshold;
  table["Tanh"] = plain<nn::Tanh>;
  table["Sigmoid"] = plain<nn::Sigmoid>;
}

}  // namespace taper::oracle
