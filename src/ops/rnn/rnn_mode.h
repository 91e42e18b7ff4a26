// Kinds of recurrent layers, the layout of their workspace and the order of their steps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "taper/core/shape.h"

namespace taper::rnn {

enum class Mode : std::uint8_t { rnn_tanh, rnn_relu, lstm, gru };

/// Returns the mode named as nn::RNNBase::mode, or nullopt.
inline std::optional<Mode> mode_of(std::string_view name) {
  if (name == "RNN_TANH") return Mode::rnn_tanh;
  if (name == "RNN_RELU") return Mode::rnn_relu;
  if (name == "LSTM") return Mode::lstm;
  if (name == "GRU") return Mode::gru;
  return std::nullopt;
}

/// Returns the number of gates, whose weights are stacked: 1, 4 (i, f, g, o) or 3 (r, z, n).
constexpr std::int64_t gate_count(Mode m) { return m == Mode::lstm ? 4 : m == Mode::gru ? 3 : 1; }
/// Returns the number of parts of a row of the workspace, of hidden_size elements each: the gates
/// after their nonlinearity, and
///   LSTM: i f g o c h
///   GRU:  r z n s h, where s = W_hn h + b_hn is the factor of r
///   RNN:  h
constexpr std::int64_t workspace_parts(Mode m) {
  return m == Mode::lstm ? 6 : m == Mode::gru ? 5 : 1;
}
/// Returns the index of the part h of a row of the workspace.
constexpr std::int64_t hidden_part(Mode m) { return workspace_parts(m) - 1; }
/// Returns the number of parts of a row of the gradients of the gates before their nonlinearity.
/// Those of a GRU are in the order n r z s: the input products contribute to n, r and z, the
/// recurrent products to r, z and s.
constexpr std::int64_t gradient_parts(Mode m) { return m == Mode::lstm || m == Mode::gru ? 4 : 1; }

/// Rows of one step: rows [offset, offset + rows) of the data. Row r belongs to sequence r.
struct Step {
  std::int64_t offset, rows;
};

/// Returns the steps in the order of computation.
inline std::vector<Step> steps_of(const Shape& batch_sizes, bool reverse) {
  std::vector<Step> steps;
  steps.reserve(batch_sizes.size());
  std::int64_t offset = 0;
  for (const std::int64_t rows : batch_sizes) {
    steps.push_back({offset, rows});
    offset += rows;
  }
  if (reverse) std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace taper::rnn
