#include "ops/rnn/rnn_layer.h"
#include "ops/samples.h"

namespace taper {
namespace {

/// A layer of `inputs` inputs and `hidden` units over steps of the given sizes.
struct LayerSize {
  std::int64_t inputs, hidden;
  Shape batch_sizes;

  std::int64_t rows() const {
    std::int64_t sum = 0;
    for (const std::int64_t size : batch_sizes) sum += size;
    return sum;
  }
  TensorSpec state() const { return {batch_sizes[0], hidden}; }
};

const TensorSpec kNoTensor = TensorSpec::none();

std::vector<TensorSpec> weights(const LayerSize& s, std::int64_t gates) {
  return {{s.rows(), s.inputs}, {gates * s.hidden, s.inputs}, {gates * s.hidden, s.hidden}};
}

/// Sample with all inputs that the mode has.
SampleInput forward(const std::string& mode, std::int64_t gates, const LayerSize& s, bool reverse,
                    bool train) {
  std::vector<TensorSpec> ins = weights(s, gates);
  ins.insert(ins.end(), {TensorSpec{gates * s.hidden}, TensorSpec{gates * s.hidden}, s.state(),
                         mode == "LSTM" ? s.state() : kNoTensor});
  return sample<RnnLayer>(
      std::move(ins),
      {.mode = mode, .batch_sizes = s.batch_sizes, .reverse = reverse, .train = train});
}

SampleInput backward(const std::string& mode, std::int64_t gates, const LayerSize& s,
                     bool reverse) {
  const bool lstm = mode == "LSTM";
  std::vector<TensorSpec> ins = weights(s, gates);
  const std::int64_t parts = rnn::workspace_parts(*rnn::mode_of(mode));
  ins.insert(ins.end(),
             {s.state(), lstm ? s.state() : kNoTensor, TensorSpec{s.rows(), parts * s.hidden},
              TensorSpec{s.rows(), s.hidden}, s.state(), lstm ? s.state() : kNoTensor});
  return sample<RnnLayerBackward>(std::move(ins),
                                  {.mode = mode, .batch_sizes = s.batch_sizes, .reverse = reverse});
}

SampleInput without(SampleInput s, std::initializer_list<std::size_t> inputs) {
  for (const std::size_t i : inputs) s.ins[i] = kNoTensor;
  return s;
}

}  // namespace

TAPER_DEFINE_SAMPLES(rnn_layer) {
  const LayerSize packed{2, 3, {3, 3, 2, 1, 1}}, wide{5, 37, {2, 2, 2, 2}}, tall{6, 35, {25, 25}};
  return {forward("LSTM", 4, packed, false, true),
          forward("LSTM", 4, packed, true, false),
          forward("GRU", 3, packed, false, true),
          forward("GRU", 3, packed, true, false),
          forward("RNN_TANH", 1, packed, false, true),
          forward("RNN_TANH", 1, packed, true, false),
          forward("RNN_RELU", 1, {2, 3, {2, 2, 1, 1}}, false, true),
          without(forward("LSTM", 4, {3, 2, {2}}, false, false), {3, 4, 5, 6}),
          without(forward("GRU", 3, {3, 2, {2}}, false, false), {3, 4, 5}),
          without(forward("GRU", 3, wide, true, true), {3}),
          without(forward("LSTM", 4, wide, false, true), {4, 5}),
          without(forward("RNN_TANH", 1, wide, false, true), {5}),
          forward("LSTM", 4, {4, 19, {1, 1, 1, 1}}, false, true),
          forward("LSTM", 4, tall, false, true),
          forward("GRU", 3, tall, true, true),
          forward("RNN_RELU", 1, {3, 70, {9, 9, 9, 9, 9}}, true, false)};
}

TAPER_DEFINE_SAMPLES(rnn_layer_backward) {
  const LayerSize packed{2, 3, {3, 3, 2, 1, 1}}, wide{5, 37, {2, 2, 2, 2}}, tall{6, 35, {25, 25}};
  std::vector<SampleInput> samples = {backward("LSTM", 4, packed, false),
                                      backward("LSTM", 4, packed, true),
                                      backward("GRU", 3, packed, false),
                                      backward("GRU", 3, packed, true),
                                      backward("RNN_TANH", 1, packed, false),
                                      backward("RNN_RELU", 1, packed, true),
                                      without(backward("LSTM", 4, wide, true), {3, 4, 6}),
                                      without(backward("GRU", 3, wide, false), {3, 7}),
                                      without(backward("LSTM", 4, {3, 2, {2}}, false), {8}),
                                      backward("LSTM", 4, {4, 19, {1, 1, 1, 1}}, false),
                                      backward("LSTM", 4, tall, true),
                                      backward("GRU", 3, tall, false),
                                      backward("RNN_TANH", 1, {3, 70, {9, 9, 9, 9, 9}}, false)};
  RnnLayerBackward attributes{.mode = "LSTM", .batch_sizes = {2, 2, 1, 1}};
  attributes.compute_grad_input = attributes.compute_grad_hx = false;
  attributes.compute_grad_weight_hh = attributes.compute_grad_biases = false;
  samples.push_back(
      sample<RnnLayerBackward>(backward("LSTM", 4, {2, 3, {2, 2, 1, 1}}, false).ins, attributes));
  return samples;
}

}  // namespace taper
