// The examples of docs/training.md; examples/python/training.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <taper/taper.h>

using namespace taper;

struct Training {
  nn::Sequential net{nn::Linear(4, 8), nn::ReLU(), nn::Dropout(0.5), nn::Linear(8, 1)};
  optim::AdamW opt{net.parameters(), {.lr = 0.01}};
  optim::lr_scheduler::OneCycleLR scheduler{opt, 0.1, {.total_steps = 8}};

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      opt.zero_grad();
      Tensor loss = net(randn({16, 4})).square().mean();
      loss.backward();
      opt.step();
      scheduler.step();
      std::printf("%.6f ", loss.item<double>());
    }
    std::printf("\n");
  }

  void save_to(const char* path) {
    save(Value::dict({{"net", net.state_dict()},
                      {"opt", opt.state_dict()},
                      {"scheduler", scheduler.state_dict()},
                      {"rng", tensor(get_rng_state())}}),
         path);
  }

  void load_from(const char* path) {
    const Value checkpoint = load(path);
    net.load_state_dict(checkpoint["net"]);
    opt.load_state_dict(checkpoint["opt"]);
    scheduler.load_state_dict(checkpoint["scheduler"]);
    const Tensor rng = checkpoint["rng"].as_tensor();
    set_rng_state(rng.data<std::uint8_t>());
  }
};

// Rounds; the gradient passes as if it did not (Bengio et al., 2013).
struct RoundStraightThrough : autograd::Function<RoundStraightThrough> {
  static Tensor forward(autograd::Context&, const Tensor& x) { return x.round(); }
  static std::vector<Tensor> backward(autograd::Context&, const std::vector<Tensor>& grads) {
    return grads;
  }
};

struct Scale : autograd::Function<Scale> {
  static Tensor forward(autograd::Context& ctx, const Tensor& x, const Tensor& factor) {
    ctx.save_for_backward({x, factor});
    return x * factor;
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const std::vector<Tensor> saved = ctx.saved_tensors();
    return {grads[0] * saved[1], (grads[0] * saved[0]).sum()};
  }
};

int main() {
  manual_seed(0);
  Training first;
  first.run(3);
  first.save_to("training.pt");
  first.run(5);

  Training second;  // as after a restart
  second.load_from("training.pt");
  second.run(5);

  Tensor x = tensor({0.4, 1.6}).requires_grad_();
  RoundStraightThrough::apply(x).square().sum().backward();
  std::printf("%.2f %.2f\n", x.grad()[0].item<double>(), x.grad()[1].item<double>());

  Tensor factor = tensor(3.0).requires_grad_();
  Scale::apply(tensor({1.0, 2.0}), factor).sum().backward();
  std::printf("%.2f\n", factor.grad().item<double>());
}
