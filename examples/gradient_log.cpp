// Logs gradient norms with full backward hooks and clips gradients before each step.
// examples/python/gradient_log.py prints the same output.
#include <cstdio>
#include <vector>

#include <taper/taper.h>

using namespace taper;

int main() {
  manual_seed(0);
  nn::Sequential net{nn::Linear(8, 16), nn::Tanh(), nn::Linear(16, 1)};
  for (const auto& [name, m] : net.named_children())
    if (const auto linear = m->as<nn::Linear>())
      linear->register_full_backward_hook(
          [name = name](nn::Linear&, const Tensor& grad_input, const Tensor& grad_output) {
            std::printf("  %s: gradient of the result %.4f, of the input %.4f\n", name.c_str(),
                        grad_output.norm().item<double>(), grad_input.norm().item<double>());
          });
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  const Tensor x = randn({32, 8}, {.requires_grad = true});
  const Tensor y = x.detach().sum(1, true) * 3;
  for (int step = 0; step < 3; ++step) {
    std::printf("step %d\n", step);
    opt.zero_grad();
    const Tensor loss = F::mse_loss(net(x), y);
    loss.backward();
    const Tensor norm = nn::utils::clip_grad_norm_(net.parameters(), 1.0);
    std::vector<Tensor> gradients;
    for (const Tensor& p : net.parameters()) gradients.push_back(p.grad());
    std::printf("  loss %.4f, norm %.4f, clipped to %.4f\n", loss.item<double>(),
                norm.item<double>(), nn::utils::get_total_norm(gradients).item<double>());
    opt.step();
  }
}
