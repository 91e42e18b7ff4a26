// Where the time of a training step goes.
// examples/python/profiler.py prints the same output.
#include <cstdio>
#include <iostream>

#include <taper/profiler/profiler.h>
#include <taper/taper.h>

using namespace taper;

int main(int argc, char**) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(64, 128), nn::ReLU(), nn::Linear(128, 10)};
  optim::AdamW opt(net.parameters());
  const Tensor x = randn({32, 64}), y = randint(10, {32});

  const auto train_step = [&] {
    opt.zero_grad();
    Tensor loss;
    {
      const profiler::RecordFunction region("loss");
      loss = F::cross_entropy(net(x), y);
    }
    loss.backward();
    opt.step();
  };

  profiler::Profile profile({.schedule = profiler::schedule({.wait = 1, .warmup = 1, .active = 3}),
                             .record_shapes = true});
  for (int i = 0; i < 5; ++i) {
    train_step();
    profile.step();
  }
  profile.stop();

  for (const profiler::EventAverage& e : profile.key_averages())
    if (e.key == "loss" || e.key.starts_with("Optimizer.step") || e.key.starts_with("ProfilerStep"))
      std::printf("%s %d\n", e.key.c_str(), static_cast<int>(e.count));
  profile.export_chrome_trace("trace.json");
  if (argc > 1)  // with any argument
    std::cout << profile.key_averages().table({.row_limit = 10}) << '\n'
              << profile.module_averages().table();
}
