#include "layers/table.h"
#include "taper/core/error.h"
#include "taper/nn/rnn.h"
#include "taper/nn/rnn_cell.h"

namespace taper::oracle {
namespace {

template <class Layer, class Options> Built layer(Arguments& a) {
  constexpr bool is_rnn = std::is_same_v<Layer, nn::RNN>;
  const std::int64_t input = a.integer("input_size"), hidden = a.integer("hidden_size");
  Options o;
  o.num_layers = a.integer("num_layers", o.num_layers);
  if constexpr (is_rnn) o.nonlinearity = a.text("nonlinearity", o.nonlinearity);
  o.bias = a.boolean("bias", o.bias);
  o.batch_first = a.boolean("batch_first", o.batch_first);
  o.dropout = a.number("dropout", o.dropout);
  o.bidirectional = a.boolean("bidirectional", o.bidirectional);
  if constexpr (std::is_same_v<Layer, nn::LSTM>)
    o.proj_size = a.integer("proj_size", o.proj_size);
  else if (a.named("proj_size"))  // in C++ the option does not exist
    throw ValueError("proj_size argument is only supported for LSTM, not RNN or GRU");
  o.dtype = a.optional_dtype("dtype");
  a.done();
  return std::make_shared<Layer>(input, hidden, o);
}

template <class Cell, class Options> Built cell(Arguments& a) {
  const std::int64_t input = a.integer("input_size"), hidden = a.integer("hidden_size");
  Options o;
  o.bias = a.boolean("bias", o.bias);
  if constexpr (std::is_same_v<Cell, nn::RNNCell>)
    o.nonlinearity = a.text("nonlinearity", o.nonlinearity);
  o.dtype = a.optional_dtype("dtype");
  a.done();
  return std::make_shared<Cell>(input, hidden, o);
}

}  // namespace

void add_recurrent(LayerTable& table) {
  table["RNN"] = layer<nn::RNN, nn::RNNOptions>;
  table["LSTM"] = layer<nn::LSTM, nn::LSTMOptions>;
  table["GRU"] = layer<nn::GRU, nn::GRUOptions>;
  table["RNNCell"] = cell<nn::RNNCell, nn::RNNCellOptions>;
  table["LSTMCell"] = cell<nn::LSTMCell, nn::CellOptions>;
  table["GRUCell"] = cell<nn::GRUCell, nn::CellOptions>;
}

}  // namespace taper::oracle
