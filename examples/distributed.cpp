// Trains LeNet on handwritten digits on several ranks, whose batches together have 64 images. The
// last number is the mean loss, which does not depend on the number of ranks. The ranks are the
// processes that a launcher has started (taper run -n 4 example_distributed), or as many threads as
// the argument.
// examples/python/distributed.py is the PyTorch version.
#include <cstdlib>
#include <iostream>
#include <memory>

#include <taper/dist/dist.h>
#include <taper/taper.h>

#include "taper_paths.h"

using namespace taper;

struct LeNet : nn::Module {
  nn::Conv2d conv1{1, 10, 5}, conv2{10, 20, 5};
  nn::Linear fc1{20, 50}, fc2{50, 10};
  TAPER_MODULE(LeNet, conv1, conv2, fc1, fc2)

  Tensor forward(Tensor x) const {
    x = F::max_pool2d(F::relu(conv1(x)), 2);
    x = F::max_pool2d(F::relu(conv2(x)), 2);
    return fc2(F::relu(fc1(x.flatten(1))));
  }
};

// Returns images of 16 x 16 pixels from 0 to 1.
Tensor read_images() {
  const Tensor small = data::read_idx(TAPER_DATA "/digits/digits-images.idx3-ubyte.gz");
  return F::interpolate((small.to(float32) / 16).unsqueeze(1), {.size = {16, 16}});
}

void train() {
  distributed::init_process_group();
  const int rank = distributed::get_rank(), world = distributed::get_world_size();

  manual_seed(1);
  LeNet net;
  distributed::DistributedDataParallel ddp(net);
  optim::SGD opt(net.parameters(), {.lr = 0.05, .momentum = 0.9});

  const Tensor images = read_images();
  const Tensor labels = data::read_idx(TAPER_DATA "/digits/digits-labels.idx1-ubyte.gz").to(int64);
  const data::TensorDataset digits(images[Slice{.stop = 1408}], labels[Slice{.stop = 1408}]);
  auto sampler = std::make_shared<data::DistributedSampler>(
      digits.size(), data::DistributedSamplerOptions{.num_replicas = world, .rank = rank});
  data::DataLoader loader(digits, {.batch_size = 64 / world, .sampler = sampler});

  for (int epoch = 0; epoch < 3; ++epoch) {
    sampler->set_epoch(epoch);
    Tensor total = zeros({});
    for (auto& [image, label] : loader) {
      opt.zero_grad();
      const Tensor loss = F::cross_entropy(net(image), label);
      loss.backward();  // averages the gradients of all ranks
      opt.step();
      total += loss.detach() / loader.size();
    }
    distributed::all_reduce(total, {.op = distributed::ReduceOp::avg});
    if (rank == 0) std::cout << "epoch " << epoch << ": loss " << total.item<float>() << '\n';
  }
  distributed::destroy_process_group();
}

int main(int argc, char** argv) {
  if (argc > 1)
    distributed::spawn_threads(std::atoi(argv[1]), [](int) { train(); });
  else
    train();
}
