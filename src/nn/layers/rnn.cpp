#include "taper/nn/rnn.h"

#include <cmath>

#include "core/check.h"
#include "nn/layers/options.h"
#include "nn/layers/text.h"
#include "nn/module/extra.h"
#include "ops/autocast.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/nn/functional/dropout.h"
#include "taper/nn/init.h"
#include "taper/ops/rnn.h"

namespace taper::nn {
namespace {

void check_options(std::int64_t input, std::int64_t hidden, const LSTMOptions& o) {
  if (!(o.dropout >= 0 && o.dropout <= 1))
    fail<ValueError>(
        "dropout should be a number in range [0, 1] representing the probability of an element "
        "being zeroed");
  if (o.dropout > 0 && o.num_layers == 1)
    warn(
        "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
        "expects num_layers greater than 1, but got dropout=" +
        python_text(o.dropout) + " and num_layers=1");
  if (input <= 0) fail<ValueError>("input_size must be greater than zero");
  if (hidden <= 0) fail<ValueError>("hidden_size must be greater than zero");
  if (o.num_layers <= 0) fail<ValueError>("num_layers must be greater than zero");
  check_layer_count(o.num_layers);
  if (o.proj_size < 0)
    fail<ValueError>("proj_size should be a positive integer or zero to disable projections");
  if (o.proj_size >= hidden) fail<ValueError>("proj_size has to be smaller than hidden_size");
}

std::int64_t num_gates(const std::string& mode) {
  if (mode == "LSTM") return 4;
  return mode == "GRU" ? 3 : 1;
}

/// Returns the class name of a mode.
std::string_view class_of(const std::string& mode) {
  return mode.starts_with("RNN") ? std::string_view("RNN") : std::string_view(mode);
}

}  // namespace

RNNBase::RNNBase(std::string mode_name, std::int64_t input, std::int64_t hidden,
                 const LSTMOptions& o)
    : mode(std::move(mode_name)),
      input_size(input),
      hidden_size(hidden),
      num_layers(o.num_layers),
      bias(o.bias),
      batch_first(o.batch_first),
      dropout(o.dropout),
      bidirectional(o.bidirectional),
      proj_size(o.proj_size) {
  check_options(input, hidden, o);
}

void RNNBase::make_parameters(const LSTMOptions& o) {
  const std::int64_t gates = Shape{num_gates(mode), hidden_size}.numel();
  const auto add = [&](const std::string& name, const Shape& shape) {
    register_parameter(name, Parameter(empty(shape, tensor_options(o))));
    names_.push_back(name);
  };
  for (std::int64_t layer = 0; layer < num_layers; ++layer)
    for (std::int64_t direction = 0; direction < directions(); ++direction) {
      const std::string suffix = "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
      add("weight_ih" + suffix, {gates, layer ? state_size() * directions() : input_size});
      add("weight_hh" + suffix, {gates, state_size()});
      if (bias) add("bias_ih" + suffix, {gates}), add("bias_hh" + suffix, {gates});
      if (proj_size > 0) add("weight_hr" + suffix, {proj_size, hidden_size});
    }
  reset_parameters();
}

void RNNBase::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  for_each_parameter([&](Parameter& p) { init::uniform_(p, -bound, bound); });
}

std::vector<std::vector<Tensor>> RNNBase::all_weights() const {
  const auto weights_per_direction =
      names_.size() / static_cast<std::size_t>(num_layers * directions());
  std::vector<std::vector<Tensor>> all;
  const std::vector<Tensor> flat = weights();
  for (std::size_t i = 0; i < flat.size(); ++i) {
    if (i % weights_per_direction == 0) all.emplace_back();
    all.back().push_back(flat[i]);
  }
  return all;
}

// Reads the entries in order, because a lookup per name would cost more than a step of a small
// layer.
std::vector<Tensor> RNNBase::weights() const {
  if (names_.empty()) return {};  // a moved-from module
  const auto& extra = *ModuleAccess::extra(*this);
  std::vector<Tensor> found;
  auto next = extra.entries.begin();
  for (const std::string& name : names_) {
    while (next != extra.entries.end() && (*next)->name != name) ++next;
    const bool is_registered_parameter = next != extra.entries.end() &&
                                         (*next)->kind == DynamicEntry::Kind::parameter &&
                                         (*next)->parameter.defined();
    found.push_back(is_registered_parameter ? Tensor((*next)->parameter)
                                            : get_attr(name).as_tensor());
    if (!is_registered_parameter) next = extra.entries.begin();
  }
  return found;
}

void RNNBase::check_input(const Tensor& input, const Tensor& weight, std::int64_t rank) const {
  if (!tls.autocast && input.dtype() != weight.dtype())
    fail<ValueError>(
        "RNN input dtype (torch.{}) does not match weight dtype (torch.{}). Convert input: "
        "input.to(torch.{}), or convert model: model.to(torch.{})",
        input.dtype(), weight.dtype(), weight.dtype(), input.dtype());
  if (input.dim() != rank)
    fail<RuntimeError>("input must have {} dimensions, got {}", rank, input.dim());
  if (input.size(-1) != input_size)
    fail<RuntimeError>("input.size(-1) must be equal to input_size. Expected {}, got {}",
                       input_size, input.size(-1));
}

// Returns the initial state unchanged. An undefined state is zero.
Tensor RNNBase::checked_state(const Tensor& given, const Tensor& input, std::int64_t batch,
                              std::int64_t size, const char* name) const {
  if (!given.defined()) return given;
  const Shape shape{num_layers * directions(), batch, size};
  if (given.shape() != shape)
    fail<RuntimeError>("Expected {} size {}, got {}", name, tuple_text(shape), given.shape());
  if (!tls.autocast && given.dtype() != input.dtype())
    fail<RuntimeError>("{}: expected {} with the input's dtype {}, got {}", class_of(mode), name,
                       input.dtype(), given.dtype());
  return given;
}

// Runs all layers over `data`, the concatenated rows of all steps; step i has sizes[i] rows. The
// caller has checked the initial state (h, c), which may be undefined.
RNNBase::Output RNNBase::run_layers(Tensor data, const Shape& sizes, const Tensor& h,
                                    const Tensor& c, const std::vector<Tensor>& weights) const {
  // As in PyTorch, where one operation computes all layers of this kind, states are cast as well.
  const bool casts_states = tls.autocast && mode == "LSTM" && proj_size == 0;
  const auto cast = [&](const Tensor& t) {
    return casts_states && t.defined() ? autocast_argument(AutocastPolicy::lower_precision, t) : t;
  };
  data = cast(data);
  const Tensor initial_h = cast(h), initial_c = cast(c);
  std::vector<Tensor> last_h, last_c;
  auto w = weights.begin();
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    std::vector<Tensor> outputs;
    for (std::int64_t direction = 0; direction < directions(); ++direction) {
      RNNLayerWeights direction_weights{*w++, *w++};
      if (bias) direction_weights.bias_ih = *w++, direction_weights.bias_hh = *w++;
      if (proj_size > 0) direction_weights.weight_hr = *w++;
      const std::int64_t i = layer * directions() + direction;
      const auto initial = [i](const Tensor& t) { return t.defined() ? t.select(0, i) : t; };
      RNNLayerOutput y = rnn_layer(data, direction_weights, initial(initial_h), initial(initial_c),
                                   mode, sizes, direction == 1);
      outputs.push_back(std::move(y.output));
      last_h.push_back(std::move(y.hy));
      if (y.cy.defined()) last_c.push_back(std::move(y.cy));
    }
    data = outputs.size() == 1 ? outputs[0] : cat(outputs, -1);
    if (training && dropout > 0 && layer + 1 < num_layers)
      data = functional::dropout(data, dropout);
  }
  const auto stacked = [](const std::vector<Tensor>& states) {
    if (states.empty()) return Tensor();
    return states.size() == 1 ? states[0].unsqueeze(0) : stack(states);
  };
  return {data, stacked(last_h), stacked(last_c)};
}

RNNBase::Output RNNBase::run(const Tensor& given, Tensor h, Tensor c) const {
  const bool pair = mode == "LSTM", batched = given.dim() == 3;
  if (!batched && given.dim() != 2)
    fail<ValueError>("{}: Expected input to be 2D or 3D, got {}D{} instead", class_of(mode),
                     given.dim(), class_of(mode) == "RNN" ? " tensor" : "");
  const std::int64_t rank = batched ? 3 : 2;
  const char* form = batched ? "batched 3-D" : "unbatched 2-D";
  if (pair && h.defined() && (h.dim() != rank || c.dim() != rank))
    fail<RuntimeError>("For {} input, hx and cx should also be {}-D but got ({}-D, {}-D) tensors",
                       form, rank, h.dim(), c.dim());
  if (h.defined() && h.dim() != rank)
    fail<RuntimeError>("For {} input, hx should also be {}-D but got {}-D tensor", form, rank,
                       h.dim());
  if (!batched && h.defined()) h = h.unsqueeze(1);
  if (!batched && c.defined()) c = c.unsqueeze(1);
  const std::vector<Tensor> w = weights();
  Tensor input = batched ? given : given.unsqueeze(batch_first ? 0 : 1);
  check_input(input, w[0], 3);
  if (batch_first) input = input.transpose(0, 1);
  const std::int64_t steps = input.size(0), batch = input.size(1);
  if (steps == 0) fail<RuntimeError>("Expected sequence length to be larger than 0 in RNN");
  h = checked_state(h, input, batch, state_size(), pair ? "hidden[0]" : "hidden");
  if (pair) c = checked_state(c, input, batch, hidden_size, "hidden[1]");
  Output out = run_layers(input.reshape({steps * batch, input_size}),
                          Shape::filled(static_cast<std::size_t>(steps), batch), h, c, w);
  out.data = out.data.view({steps, batch, out.data.size(-1)});
  if (batch_first) out.data = out.data.transpose(0, 1);
  if (batched) return out;
  return {out.data.squeeze(batch_first ? 0 : 1), out.h.squeeze(1), pair ? out.c.squeeze(1) : c};
}

RNNBase::Output RNNBase::run(const utils::rnn::PackedSequence& input, Tensor h, Tensor c) const {
  const bool pair = mode == "LSTM";
  const Tensor row_major_sizes = input.batch_sizes.contiguous();
  const auto sizes = row_major_sizes.data<std::int64_t>();
  const std::vector<Tensor> w = weights();
  check_input(input.data, w[0], 2);
  if (h.defined() && input.sorted_indices.defined()) h = h.index_select(1, input.sorted_indices);
  if (c.defined() && input.sorted_indices.defined()) c = c.index_select(1, input.sorted_indices);
  h = checked_state(h, input.data, sizes[0], state_size(), pair ? "hidden[0]" : "hidden");
  if (pair) c = checked_state(c, input.data, sizes[0], hidden_size, "hidden[1]");
  Output out = run_layers(input.data, Shape(std::span<const std::int64_t>(sizes)), h, c, w);
  if (!input.unsorted_indices.defined()) return out;
  return {out.data, out.h.index_select(1, input.unsorted_indices),
          pair ? out.c.index_select(1, input.unsorted_indices) : c};
}

std::string RNNBase::extra_repr() const {
  std::string out = std::to_string(input_size) + ", " + std::to_string(hidden_size);
  if (proj_size != 0) out += ", proj_size=" + std::to_string(proj_size);
  if (num_layers != 1) out += ", num_layers=" + std::to_string(num_layers);
  if (!bias) out += ", bias=False";
  if (batch_first) out += ", batch_first=True";
  if (dropout != 0) out += ", dropout=" + python_text(dropout);
  if (bidirectional) out += ", bidirectional=True";
  return out;
}

}  // namespace taper::nn
