// Collects the outputs of named layers with forward hooks.
// examples/python/feature_maps.py prints the same output.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <taper/taper.h>

using namespace taper;

int main() {
  manual_seed(0);
  nn::Sequential net({{"conv1", nn::Conv2d(1, 4, 3)},
                      {"relu1", nn::ReLU()},
                      {"pool1", nn::MaxPool2d(2)},
                      {"conv2", nn::Conv2d(4, 8, 3)},
                      {"relu2", nn::ReLU()},
                      {"head", nn::Sequential{nn::Flatten(), nn::Linear(8 * 11 * 11, 10)}}});
  std::vector<std::pair<std::string, Tensor>> maps;
  std::vector<nn::RemovableHandle> handles;
  for (const std::string name : {"conv1", "relu2", "head.1"})
    handles.push_back(net.get_submodule(name).register_forward_hook(
        [&maps, name](nn::Module&, const nn::Values&, nn::Value& result) {
          maps.emplace_back(name, result.as_tensor().detach());
        }));
  (void)net(randn({2, 1, 28, 28}));
  for (const auto& [name, m] : maps)
    std::printf("%-8s%s mean %.4f\n", name.c_str(), m.shape().str().c_str(),
                m.mean().item<double>());
  for (nn::RemovableHandle& handle : handles) handle.remove();
  maps.clear();
  (void)net(randn({2, 1, 28, 28}));
  std::printf("after removal: %zu maps\n", maps.size());
}
