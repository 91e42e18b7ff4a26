// CivilNet: a small convolutional network for images with three channels.
#include <iostream>

#include <taper/taper.h>

using namespace taper;

struct CivilNet : nn::Module {
  nn::Conv2d conv1{3, 6, 5}, conv2{6, 16, 5};
  nn::MaxPool2d pool{2, {.stride = 2}};
  nn::Linear fc1{16 * 5 * 5, 120}, fc2{120, 84}, fc3{84, 10};
  TAPER_MODULE(CivilNet, conv1, conv2, pool, fc1, fc2, fc3)

  Tensor forward(Tensor x) const {
    x = pool(F::relu(conv1(x)));
    x = pool(F::relu(conv2(x)));
    x = F::relu(fc1(x.view({-1, 16 * 5 * 5})));
    x = F::relu(fc2(x));
    return fc3(x);
  }
};

int main() {
  manual_seed(0);
  CivilNet net;
  std::cout << net << '\n';

  // Synthetic data in place of a data set of 32 x 32 color images: ten prototypes with noise.
  const Tensor prototypes = randn({10, 3, 32, 32});
  const Tensor labels = arange(10).unsqueeze(1).expand({10, 20}).reshape({200});
  const Tensor images = prototypes.index_select(0, labels) + 0.5 * randn({200, 3, 32, 32});

  nn::CrossEntropyLoss criterion;
  optim::SGD opt(net.parameters(), {.lr = 0.03, .momentum = 0.9});
  data::DataLoader loader(data::TensorDataset(images, labels), {.batch_size = 20, .shuffle = true});
  double first = 0, last = 0;
  for (int epoch = 0; epoch < 8; ++epoch) {
    last = 0;
    for (auto& [image, label] : loader) {
      opt.zero_grad();
      const Tensor loss = criterion(net(image), label);
      loss.backward();
      opt.step();
      last += loss.item<double>() / static_cast<double>(loader.size());
    }
    if (epoch == 0) first = last;
    std::cout << "epoch " << epoch + 1 << ": loss " << last << '\n';
  }
  return last < first / 2 ? 0 : 1;
}
