// The rows that LibTorch's C++ frontend has: prints one measurement of the row it is asked for.
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <vector>

namespace {

/// Seconds per call of f: the median over batches that together last about `seconds`.
template <class F> double per_call(F f, double seconds = 0.25) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&](long calls) {
    const auto start = Clock::now();
    for (long i = 0; i < calls; ++i) f();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  long calls = 1;
  while (batch(calls) < seconds / 50) calls *= 4;
  std::vector<double> took;
  for (double total = 0; total < seconds || took.size() < 3; total += took.back())
    took.push_back(batch(calls));
  std::nth_element(took.begin(), took.begin() + took.size() / 2, took.end());
  return took[took.size() / 2] / static_cast<double>(calls);
}

struct NothingImpl : torch::nn::Module {
  [[gnu::noinline]] torch::Tensor forward(const torch::Tensor& x) { return x; }
};
TORCH_MODULE(Nothing);

double call() {
  Nothing m;
  const torch::Tensor x = torch::ones({4});
  const double called = per_call([&] { const torch::Tensor y = m(x); });
  return (called - per_call([&] { const torch::Tensor y = m->forward(x); })) * 1e9;
}

double sequential_child() {
  torch::nn::Sequential net;
  for (int i = 0; i < 16; ++i) net->push_back(Nothing());
  const torch::Tensor x = torch::ones({4});
  Nothing child;
  const double all = per_call([&] {
    torch::Tensor y = x;
    for (int i = 0; i < 16; ++i) y = child->forward(y);
  });
  return (per_call([&] { const torch::Tensor y = net->forward(x); }) - all) / 16 * 1e9;
}

torch::nn::Sequential many_linears() {
  torch::nn::Sequential net;
  for (int i = 0; i < 200; ++i) net->push_back(torch::nn::Linear(8, 8));
  return net;
}

double parameters() {
  const auto net = many_linears();
  return per_call([&] { const auto all = net->parameters(); }) * 1e6;
}

double named_parameters() {
  const auto net = many_linears();
  return per_call([&] { const auto all = net->named_parameters(); }) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(1);
  const struct {
    const char* name;
    double (*measure)();
  } rows[] = {{"call", call},
              {"sequential_child", sequential_child},
              {"parameters", parameters},
              {"named_parameters", named_parameters}};
  for (const auto& row : rows)
    if (argc == 2 && std::strcmp(argv[1], row.name) == 0) {
      std::cout << row.measure() << '\n';
      return 0;
    }
  std::cerr << "libtorch: no such row\n";
  return 2;
}
