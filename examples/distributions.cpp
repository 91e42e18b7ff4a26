// The examples of docs/distributions.md; examples/python/distributions.py prints the same output.
#include <iostream>

#include <taper/distributions/distributions.h>
#include <taper/taper.h>

using namespace taper;
using namespace taper::distributions;

void basics() {
  Normal m(tensor({0.0}), tensor({1.0}));
  std::cout << m.sample() << '\n';  // normally distributed with loc=0 and scale=1
  std::cout << m.log_prob(tensor({0.5})) << ' ' << m.entropy() << ' ' << m.cdf(tensor({0.5}))
            << '\n';
  Independent d(Normal(zeros({2, 3}), ones({2, 3})), 1);
  std::cout << "torch.Size(" << d.batch_shape().str() << ") torch.Size(" << d.event_shape().str()
            << ") torch.Size(" << d.sample({5}).shape().str() << ")\n";
  std::cout << d << '\n';
}

void score_function() {
  Tensor logits = zeros({3}, {.requires_grad = true});
  Categorical m({.logits = logits});
  Tensor action = m.sample();
  double reward = 2.0;
  Tensor loss = -m.log_prob(action) * reward;
  loss.backward();
  std::cout << action << ' ' << logits.grad() << '\n';
}

void pathwise() {
  Tensor concentration = tensor({0.5, 2.0}).requires_grad_();
  Gamma m(concentration, ones({2}));
  m.rsample({1000}).mean(0).sum().backward();  // the gradient of the mean is 1
  std::cout << ((concentration.grad() - 1).abs() < 0.2).all() << '\n';
}

void mixture() {
  Categorical mix(tensor({0.3, 0.7}));
  MixtureSameFamily gmm(mix, Normal(tensor({-1.0, 2.0}), tensor({0.5, 1.0})));
  std::cout << gmm.log_prob(tensor({0.0, 2.0})) << ' ' << gmm.mean() << '\n';
}

void variational() {
  Tensor loc = zeros({2}, {.requires_grad = true});
  Tensor raw = zeros({2}, {.requires_grad = true});
  Normal prior(ones({2}), full({2}, 0.5));
  optim::SGD opt({loc, raw}, {.lr = 0.1});
  for (int i = 0; i < 200; ++i) {
    Normal q(loc, biject_to(constraints::positive)(raw));
    opt.zero_grad();
    kl_divergence(q, prior).sum().backward();
    opt.step();
  }
  std::cout << loc << ' ' << raw.exp() << '\n';
}

int main() {
  manual_seed(0);
  basics();
  score_function();
  pathwise();
  mixture();
  variational();
}
