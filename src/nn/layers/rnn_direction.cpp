#include "nn/layers/rnn_direction.h"

#include <algorithm>

namespace taper::nn {
namespace {

/// Returns rows [from, to) of the state.
RNNState narrow_state(const RNNState& s, std::int64_t from, std::int64_t to) {
  const auto part = [&](const Tensor& t) { return t.defined() ? t.narrow(0, from, to - from) : t; };
  return {part(s.h), part(s.c)};
}

RNNState cat_states(const std::vector<RNNState>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Tensor> h, c;
  for (const RNNState& p : parts) {
    h.push_back(p.h);
    if (p.c.defined()) c.push_back(p.c);
  }
  return {cat(h), c.empty() ? Tensor() : cat(c)};
}

}  // namespace

Tensor run_rnn_direction(std::string_view mode, const Tensor& data, const Shape& sizes,
                         bool reverse, const RNNWeights& w, RNNState& state) {
  const std::vector<Tensor> gates = split_tensor(affine(data, w.ih, w.bias_ih), sizes, 0);
  std::vector<Tensor> outputs(gates.size());
  const RNNState first = state;
  std::int64_t count = reverse ? sizes.back() : sizes.front();
  RNNState current = count == sizes.front() ? first : narrow_state(first, 0, count);
  std::vector<RNNState> final_states;  // in ascending order of sequence length
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::size_t step = reverse ? gates.size() - 1 - i : i;
    if (sizes[step] > count)
      current = cat_states({current, narrow_state(first, count, sizes[step])});
    if (sizes[step] < count) {
      final_states.push_back(narrow_state(current, sizes[step], count));
      current = narrow_state(current, 0, sizes[step]);
    }
    count = sizes[step];
    current = rnn_step(mode, gates[step], current, w);
    outputs[step] = current.h;
  }
  final_states.push_back(current);
  std::reverse(final_states.begin(), final_states.end());
  state = cat_states(final_states);
  return outputs.size() == 1 ? outputs[0] : cat(outputs);
}

}  // namespace taper::nn
