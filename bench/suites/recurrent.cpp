// Training and inference steps of recurrent layers.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

/// Sizes of a stack of recurrent layers and its input of `steps` by `batch` rows.
struct StackSize {
  std::int64_t inputs, hidden, layers, steps, batch;
};
constexpr StackSize kLarge{128, 256, 2, 50, 16}, kSmall{32, 32, 1, 100, 1};

template <class Layer> Layer make_layer(const StackSize& s) {
  return Layer(s.inputs, s.hidden, {.num_layers = s.layers});
}

template <class Layer> double training_step(const StackSize& s) {
  Layer net = make_layer<Layer>(s);
  optim::SGD sgd(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({s.steps, s.batch, s.inputs});
  return seconds_per_call([&] {
           sgd.zero_grad();
           net(x).first.mean().backward();
           sgd.step();
         }) *
         1e3;
}

template <class Layer> double inference(const StackSize& s) {
  Layer net = make_layer<Layer>(s);
  net.eval();
  const Tensor x = randn({s.steps, s.batch, s.inputs});
  InferenceMode guard;
  return seconds_per_call([&] { static_cast<void>(net(x)); }) * 1e3;
}

/// Multiply-adds of a forward pass of two layers with `gates` products of each kind.
double multiply_adds(const StackSize& s, double gates) {
  const auto rows = static_cast<double>(s.steps * s.batch), hidden = static_cast<double>(s.hidden);
  return rows * gates * hidden * (static_cast<double>(s.inputs) + 3 * hidden);
}

template <class Layer> void add_rows(std::vector<Benchmark>& rows, const std::string& name,
                                     const std::string& baseline, double gates,
                                     double training_budget, double inference_budget) {
  rows.push_back({.name = name + " 128-256, 2 layers, 50x16: training step",
                  .threads = 2,
                  .unit = "ms",
                  .measure = [] { return training_step<Layer>(kLarge); },
                  .budget_ratio = training_budget,
                  .multiply_adds = 3 * multiply_adds(kLarge, gates),
                  .baseline = baseline + "_step"});
  rows.push_back({.name = name + " 128-256, 2 layers, 50x16: inference",
                  .threads = 2,
                  .unit = "ms",
                  .measure = [] { return inference<Layer>(kLarge); },
                  .budget_ratio = inference_budget,
                  .multiply_adds = multiply_adds(kLarge, gates),
                  .baseline = baseline + "_inference"});
  rows.push_back({.name = name + " 32-32, 100x1: training step",
                  .threads = 2,
                  .unit = "ms",
                  .measure = [] { return training_step<Layer>(kSmall); },
                  .budget_ratio = 1.0,
                  .baseline = baseline + "_small_step"});
}

}  // namespace

std::vector<Benchmark> recurrent_suite() {
  std::vector<Benchmark> rows;
  add_rows<nn::LSTM>(rows, "LSTM", "lstm", 4, 0.77, 0.90);
  rows[0].budget_share = 0.78;
  rows[1].budget_share = 0.80;
  add_rows<nn::GRU>(rows, "GRU", "gru", 3, 1.0, 1.0);
  add_rows<nn::RNN>(rows, "RNN", "rnn", 1, 1.0, 1.0);
  return rows;
}

}  // namespace taper::bench
