// Trains a network on handwritten digits whose layers are divided among several ranks, which all
// have the same batches. The last number is the loss, which does not depend on the number of ranks.
// The ranks are the processes that a launcher has started, or as many threads as the argument.
// examples/python/tensor_parallel.py is the PyTorch version.
#include <cstdlib>
#include <iostream>

#include <taper/dist/dist.h>
#include <taper/taper.h>

#include "taper_paths.h"

using namespace taper;

struct Net : nn::Module {
  nn::Linear fc1{64, 256}, fc2{256, 32}, head{32, 10};
  nn::LayerNorm norm{32};
  TAPER_MODULE(Net, fc1, fc2, norm, head)

  Tensor forward(const Tensor& x) const { return head(norm(fc2(F::relu(fc1(x))))); }
};

void train() {
  using namespace distributed;
  init_process_group();
  const int rank = get_rank(), world = get_world_size();

  manual_seed(1);
  Net net;
  parallelize_module(net, init_device_mesh({world}),
                     {{"fc1", ColwiseParallel()},
                      {"fc2", RowwiseParallel()},
                      {"head", ColwiseParallel({.use_local_output = false})}});
  optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});

  const Tensor images = data::read_idx(TAPER_DATA "/digits/digits-images.idx3-ubyte.gz");
  const Tensor labels = data::read_idx(TAPER_DATA "/digits/digits-labels.idx1-ubyte.gz").to(int64);
  const Tensor x = (images.to(float32) / 16).flatten(1);
  for (int epoch = 0; epoch < 3; ++epoch) {
    Tensor last;
    for (int begin = 0; begin < 1408; begin += 64) {
      opt.zero_grad();
      const auto scope = loss_parallel();  // each rank has the scores of its classes
      const Slice batch{begin, begin + 64};
      last = F::cross_entropy(net(x[batch]), labels[batch]);
      last.backward();
      opt.step();
    }
    if (rank == 0) std::cout << "epoch " << epoch << ": loss " << last.item<float>() << '\n';
  }
  const Value whole = get_model_state_dict(net, {.full_state_dict = true});
  if (rank == 0) save(whole, "digits.pt");
  destroy_process_group();
}

int main(int argc, char** argv) {
  if (argc > 1)
    distributed::spawn_threads(std::atoi(argv[1]), [](int) { train(); });
  else
    train();
}
