#include "nn/layers/rnn_run.h"

#include <algorithm>

namespace taper::nn {
namespace {

/// Returns rows [from, to) of the state.
RNNState schemas(const RNNState& s, std::int64_t from, std::int64_t to) {
  const auto part = [&](const Tensor& t) { return t.defined() ? t.narrow(0, from, to - from) : t; };
  return {part(s.h), part(s.c)};
}

RNNState join(const std::vector<RNNState>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Tensor> h, c;
  for (const RNNState& p : parts) {
    h.push_back(p.h);
    if (p.c.defined()) c.push_back(p.c);
  }
  return {cat(h), c.empty() ? Tensor() : cat(c)};
}

}  // namespace

Tensor rnn_pass(std::string_view mode, const Tensor& data, const Shape& sizes, bool reverse,
                const RNNWeights& w, RNNState& state) {
  const std::vector<Tensor> gates = parted(affine(data, w.ih, w.bias_ih), sizes, 0);
  std::vector<Tensor> outputs(gates.size());
  const RNNState first = state;
  std::int64_t count = reverse ? sizes.back() : sizes.front();
  RNNState now = count == sizes.front() ? first : schemas(first, 0, count);
  std::vector<RNNState> ended;  // in ascending order of sequence length
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::size_t step = reverse ? gates.size() - 1 - i : i;
    if (sizes[step] > count) now = join({now, schemas(first, count, sizes[step])});
    if (sizes[step] < count) {
      ended.push_back(schemas(now, sizes[step], count));
      now = schemas(now, 0, sizes[step]);
    }
    count = sizes[step];
    now = rnn_step(mode, gates[step], now, w);
    outputs[step] = now.h;
  }
  ended.push_back(now);
  std::reverse(ended.begin(), ended.end());
  state = join(ended);
  return outputs.size() == 1 ? outputs[0] : cat(outputs);
}

}  // namespace taper::nn
