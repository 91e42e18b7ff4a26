// Vector kernels of recurrent layers: one step of a range of rows and blocks of hidden units.
//
// Recurrent weights are packed once per layer into blocks of hidden units, in which the columns of
// all gates are adjacent. The product of a block is computed in registers and stays in the
// first-level cache until the nonlinearities have been applied. The sums of an element are in the
// order of k, whatever the ranges are, so that results do not depend on how work is divided.
#pragma once
#include "ops/rnn/rnn_mode.h"

namespace taper::rnn {

/// Properties of one direction of one layer, of H = `hidden` units.
struct Layer {
  Mode mode;
  std::int64_t hidden;
  const float* packed = nullptr;  ///< recurrent weights, packed by pack_forward or pack_backward
};

/// One step forward. Pointers to rows point to the first row of the step or state.
struct ForwardStep {
  const float* input;  ///< (rows, gates H): products of the inputs, with biases
  std::int64_t input_row;
  const float* h;        ///< (rows, H): state before the step; null if it is zero
  const float* product;  ///< (rows, gates H): products of h; null: computed from `packed`
  const float* s_bias;   ///< (H): b_hn of a GRU, or null
  float* next_h;         ///< (rows, H): state after the step; null if it is not needed
  float* c;              ///< (rows, H): cell state, updated; LSTM only
  float* output;         ///< (rows, H)
  float* workspace;      ///< (rows, parts H), may be `input`; null if it is not needed
};

/// One step backward. Pointers to rows point to the first row of a step or state.
struct BackwardStep {
  std::int64_t rows;       ///< number of rows of the step
  const float* workspace;  ///< (rows, parts H)
  const float* previous;   ///< workspace of the previous step; for rows < previous_rows
  std::int64_t previous_rows;
  const float* initial;      ///< (B, H): h (GRU) or c (LSTM) before the other rows; null: zero
  const float* grad_output;  ///< (rows, H), or null
  float* gates;              ///< (rows, parts H): the gradients, written
  const float* next_gates;   ///< those of the step computed before; null: dh is complete
  std::int64_t next_rows;    ///< number of rows of next_gates
  float* dh;                 ///< (B, padded H): gradient of h after the step, updated
  float* dc;                 ///< (B, padded H): gradient of c after the step, updated; LSTM
};

struct Range {
  std::int64_t begin, end;
};

/// Returns the number of hidden units of a block.
std::int64_t forward_block(Mode mode);
std::int64_t backward_block(Mode mode);
/// Returns the number of blocks of `hidden` units.
inline std::int64_t block_count(std::int64_t hidden, std::int64_t block) {
  return (hidden + block - 1) / block;
}

/// Packs blocks of `weight` (gates H, H). `packed` has room for block_count * block hidden units,
/// with gates * H elements each.
void pack_forward(const Layer& layer, const float* weight, Range blocks, float* packed);
void pack_backward(const Layer& layer, const float* weight, Range blocks, float* packed);

/// Computes the given rows and blocks of hidden units of a step. In a step backward, rows beyond
/// those of the step receive the products of next_gates only.
void run_step(const Layer& layer, const ForwardStep& step, Range rows, Range blocks);
void run_step(const Layer& layer, const BackwardStep& step, Range rows, Range blocks);
/// Adds the products of next_gates to dh, the first part of a step backward.
void add_products(const Layer& layer, const BackwardStep& step, Range rows, Range blocks);

}  // namespace taper::rnn
