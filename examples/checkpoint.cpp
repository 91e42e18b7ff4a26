// Saves a checkpoint of a training run, loads it and resumes the training.
#include <iostream>

#include <taper/taper.h>

using namespace taper;

struct Net : nn::Module {
  nn::Linear fc1{2, 16}, fc2{16, 1};
  TAPER_MODULE(Net, fc1, fc2)
  Tensor forward(const Tensor& x) const { return fc2(F::relu(fc1(x))); }
};

const optim::SGDOptions kOptions{.lr = 0.1, .momentum = 0.9};

double train(Net& net, optim::SGD& opt, int begin, int end) {
  const Tensor x = linspace(-1, 1, 64).view({32, 2}), y = (x * x).sum(1, true);
  double last = 0;
  for (int epoch = begin; epoch < end; ++epoch) {
    opt.zero_grad();
    const Tensor loss = F::mse_loss(net(x), y);
    loss.backward();
    opt.step();
    last = loss.item<double>();
  }
  return last;
}

int main() {
  manual_seed(0);
  Net net;
  optim::SGD opt(net.parameters(), kOptions);
  const double loss = train(net, opt, 0, 5);
  save(Value::dict({{"epoch", 5},
                    {"model_state_dict", net.state_dict()},
                    {"optimizer_state_dict", opt.state_dict()},
                    {"loss", loss}}),
       "checkpoint.pt");
  const double expected = train(net, opt, 5, 20);

  Net resumed;
  optim::SGD resumed_opt(resumed.parameters(), kOptions);
  const Value checkpoint = load("checkpoint.pt");
  resumed.load_state_dict(checkpoint["model_state_dict"]);
  resumed_opt.load_state_dict(checkpoint["optimizer_state_dict"]);
  std::cout << "epoch " << checkpoint["epoch"] << ", loss " << checkpoint["loss"] << '\n';
  const double found =
      train(resumed, resumed_opt, static_cast<int>(checkpoint["epoch"].as_int()), 20);
  std::cout << "after 20 epochs: " << found << ", uninterrupted: " << expected << '\n';
  return found == expected && equal(resumed.fc1.weight, net.fc1.weight) ? 0 : 1;
}
