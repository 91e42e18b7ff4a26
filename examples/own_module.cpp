// A user-defined module with a parameter, a buffer that is saved but not trained, and children.
#include <cstdint>
#include <iostream>
#include <string>

#include <taper/taper.h>

using namespace taper;

// Subtracts the running mean of the inputs seen in training mode and scales the result.
struct Center : nn::Module {
  double momentum;
  nn::Parameter scale;
  nn::Buffer mean;
  TAPER_MODULE(Center, scale, mean)

  explicit Center(std::int64_t features, double m = 0.1)
      : momentum(m), scale(ones({features})), mean(zeros({features})) {}

  Tensor forward(const Tensor& x) {
    if (training) {
      const NoGrad no_grad;
      mean = mean * (1 - momentum) + x.mean(0) * momentum;
    }
    return (x - mean) * scale;
  }
  std::string extra_repr() const override {
    return std::to_string(mean.size(0)) + ", momentum=" + python_repr(momentum);
  }
};

struct Net : nn::Module {
  Center center{4};
  nn::Linear out{4, 1};
  TAPER_MODULE(Net, center, out)
  Tensor forward(const Tensor& x) { return out(center(x)); }
};

int main() {
  manual_seed(0);
  Net net;
  std::cout << net << '\n';
  for (const auto& [name, value] : net.named_parameters())
    std::cout << "parameter " << name << ' ' << value.shape().str() << '\n';
  for (const auto& [name, value] : net.named_buffers())
    std::cout << "buffer " << name << ' ' << value.shape().str() << '\n';

  const Tensor x = randn({64, 4}) + 2, y = x.sum(1, true);
  optim::SGD opt(net.parameters(), {.lr = 0.01});
  for (int step = 0; step < 500; ++step) {
    opt.zero_grad();
    F::mse_loss(net(x), y).backward();
    opt.step();
  }
  net.eval();
  const double error = F::mse_loss(net(x), y).item<double>();
  std::cout << "mean " << net.center.mean << "\nerror " << error << '\n';

  // The state dict includes the buffer.
  Net other;
  other.load_state_dict(net.state_dict());
  return equal(other.center.mean, net.center.mean) && error < 0.1 ? 0 : 1;
}
