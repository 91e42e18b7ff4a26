// Freezes a trained backbone and trains a new head on another task.
// examples/python/fine_tuning.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <taper/taper.h>

using namespace taper;

struct Classifier : nn::Module {
  nn::Sequential backbone{nn::Linear(2, 16), nn::Tanh(), nn::Linear(16, 16), nn::Tanh()};
  nn::Linear head;
  TAPER_MODULE(Classifier, backbone, head)
  explicit Classifier(std::int64_t classes) : head(16, classes) {}
  Tensor forward(const Tensor& x) const { return head(backbone(x)); }
};

void train(const char* task, Classifier& net, const std::vector<Tensor>& parameters,
           const Tensor& x, const Tensor& y) {
  optim::SGD opt(parameters, {.lr = 0.5, .momentum = 0.9});
  Tensor loss;
  for (int step = 0; step < 200; ++step) {
    opt.zero_grad();
    loss = F::cross_entropy(net(x), y);
    loss.backward();
    opt.step();
  }
  const Tensor right = net(x).argmax(1) == y;
  std::printf("%s: loss %.4f, accuracy %.3f\n", task, loss.item<double>(),
              right.to(float32).mean().item<double>());
}

int main() {
  manual_seed(0);
  const Tensor x = randn({200, 2}), radius = x.pow(2).sum(1);
  Classifier net(2);
  train("inside or outside", net, net.parameters(), x, (radius < 1).to(int64));

  net.zero_grad();
  net.backbone.requires_grad_(false).eval();
  net.head = nn::Linear(16, 3);
  auto& first = *net.backbone[0].as<nn::Linear>();
  const Tensor before = first.weight.clone();
  std::vector<Tensor> trained;
  for (const Tensor& p : net.parameters())
    if (p.requires_grad()) trained.push_back(p);
  std::printf("%zu of %zu parameters are trained\n", trained.size(), net.parameters().size());
  train("three rings", net, trained, x, (radius > 0.7).to(int64) + (radius > 2.5).to(int64));
  std::printf("backbone unchanged: %s %s\n", equal(before, first.weight) ? "True" : "False",
              first.weight.grad().defined() ? "False" : "True");
}
