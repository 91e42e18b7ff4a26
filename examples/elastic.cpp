// Trains a sharded network on handwritten digits and saves a checkpoint after every fourth step,
// from which it continues when its launcher starts it again, on the same or another number of
// ranks:
//   taper run -n 4 --max-restarts 3 example_elastic FOLDER
// The last number is the loss on all images, which does not depend on failures or on the number of
// ranks.
// examples/python/elastic.py is the PyTorch version.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <taper/dist/dist.h>
#include <taper/taper.h>

#include "taper_paths.h"

using namespace taper;

struct Net : nn::Module {
  nn::Linear fc1{64, 50}, fc2{50, 10};
  TAPER_MODULE(Net, fc1, fc2)

  Tensor forward(const Tensor& x) const { return fc2(F::relu(fc1(x))); }
};

int main(int argc, char** argv) {
  using namespace distributed;
  const std::string folder = argc > 1 ? argv[1] : "checkpoint";
  init_process_group();
  const int rank = get_rank(), world = get_world_size();

  manual_seed(1);
  Net net;
  fully_shard(net);
  optim::AdamW opt(net.parameters(), {.lr = 0.01});

  const Tensor images = data::read_idx(TAPER_DATA "/digits/digits-images.idx3-ubyte.gz");
  const Tensor labels = data::read_idx(TAPER_DATA "/digits/digits-labels.idx1-ubyte.gz").to(int64);
  const Tensor x = (images.to(float32) / 16).flatten(1);
  const data::TensorDataset digits(x[Slice{.stop = 1440}], labels[Slice{.stop = 1440}]);
  auto sampler = std::make_shared<data::DistributedSampler>(
      digits.size(), data::DistributedSamplerOptions{.num_replicas = world, .rank = rank});
  data::DataLoader loader(digits, {.batch_size = 48 / world, .sampler = sampler});

  std::int64_t epoch = 0, step = 0;  // position of the next batch
  const auto state_dict = [&] {
    return Value::dict({{"model", get_model_state_dict(net)},
                        {"optim", get_optimizer_state_dict(net, opt)},
                        {"epoch", epoch},
                        {"step", step}});
  };
  if (std::filesystem::exists(folder + "/.metadata")) {
    const Value state = state_dict();
    checkpoint::load(state, folder);  // the parameters are loaded in place
    set_optimizer_state_dict(net, opt, state["optim"]);
    epoch = state["epoch"].as_int();
    step = state["step"].as_int();
  }

  for (; epoch < 3; ++epoch, step = 0) {
    sampler->set_epoch(epoch);
    std::int64_t i = 0;
    for (auto& [image, label] : loader) {
      if (i++ < step) continue;  // before the checkpoint
      opt.zero_grad();
      F::cross_entropy(net(image), label).backward();
      opt.step();
      ++step;
      if (step % 4 == 0) checkpoint::save(state_dict(), folder);
    }
  }
  {
    const NoGrad no_grad;
    const float loss = F::cross_entropy(net(x), labels).item<float>();
    std::cout.precision(9);
    if (rank == 0) std::cout << "loss " << loss << '\n';
  }
  destroy_process_group();
}
