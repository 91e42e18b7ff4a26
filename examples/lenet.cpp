// Trains LeNet on handwritten digits, from data files to a checkpoint that Python can load.
#include <cstdint>
#include <iostream>
#include <string>

#include <taper/taper.h>

#include "taper_paths.h"

using namespace taper;

struct LeNet : nn::Module {
  nn::Conv2d conv1{1, 20, 5}, conv2{20, 50, 5};
  nn::Linear fc1{4 * 4 * 50, 500}, fc2{500, 10};
  TAPER_MODULE(LeNet, conv1, conv2, fc1, fc2)

  Tensor forward(Tensor x) const {
    x = F::max_pool2d(F::relu(conv1(x)), 2);
    x = F::max_pool2d(F::relu(conv2(x)), 2);
    x = F::relu(fc1(x.view({-1, 4 * 4 * 50})));
    return F::log_softmax(fc2(x), 1);
  }
};

// Scales 8 x 8 images with pixels 0 to 16 up to 24 x 24 by repetition, with a border of two.
Tensor enlarge(const Tensor& small) {
  const std::int64_t n = small.size(0);
  const Tensor image = zeros({n, 1, 28, 28});
  image[{ellipsis, Slice{2, 26}, Slice{2, 26}}] = (small.to(float32) / 16)
                                                      .view({n, 1, 8, 1, 8, 1})
                                                      .expand({n, 1, 8, 3, 8, 3})
                                                      .reshape({n, 1, 24, 24});
  return image;
}

int main() {
  const std::string folder = TAPER_DATA "/digits/";
  const Tensor images = enlarge(data::read_idx(folder + "digits-images.idx3-ubyte.gz"));
  const Tensor labels = data::read_idx(folder + "digits-labels.idx1-ubyte.gz").to(int64);

  manual_seed(1);
  LeNet net;
  std::cout << net << '\n';
  const Slice train{.stop = 1437}, test{.start = 1437};
  data::DataLoader loader(data::TensorDataset(images[train], labels[train]),
                          {.batch_size = 64, .shuffle = true, .num_workers = 1});
  optim::SGD opt(net.parameters(), {.lr = 0.05, .momentum = 0.9});
  for (int epoch = 1; epoch <= 4; ++epoch) {
    double total = 0;
    for (auto& [image, label] : loader) {
      opt.zero_grad();
      const Tensor loss = F::nll_loss(net(image), label);
      loss.backward();
      opt.step();
      total += loss.item<double>();
    }
    std::cout << "epoch " << epoch << ": loss " << total / static_cast<double>(loader.size())
              << '\n';
  }

  net.eval();
  const NoGrad no_grad;
  const Tensor read = net(images[test]).argmax(1);
  const auto correct = (read == labels[test]).sum().item<std::int64_t>();
  std::cout << correct << " of 360 read correctly\n";
  save(net.state_dict(), "lenet.pt");  // torch.load("lenet.pt", weights_only=True)
  return correct > 300 ? 0 : 1;
}
