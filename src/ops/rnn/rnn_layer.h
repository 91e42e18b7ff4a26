#pragma once
#include "ops/op.h"
#include "ops/rnn/rnn_mode.h"

namespace taper {

/// Runs one direction of one recurrent layer over input (N, I), the concatenated rows of all steps.
/// Step i has batch_sizes[i] rows, which do not increase; the steps are computed in reverse order
/// if `reverse` is true. `mode` is a mode of nn::RNNBase. With B = batch_sizes[0], the outputs are
/// the states h of all steps (N, H), the final states (B, H), and, if `train` is true, the
/// workspace of backward (see rnn::workspace_parts).
struct RnnLayer {
  std::string mode = "LSTM";
  Shape batch_sizes{};
  bool reverse = false, train = false;
  TAPER_ATTRIBUTES(mode, batch_sizes, reverse, train)
  static constexpr OpInfo op{
      .name = "rnn_layer",
      .node = "MkldnnRnnLayerBackward0",
      .inputs = "input weight_ih weight_hh bias_ih? bias_hh? hx? cx?",
      .outputs = "output hy cy workspace",
      .dtypes = DTypeSet::full_precision,
      .saved = in(0) | in(1) | in(2) | in(3) | in(4) | in(5) | in(6) | out(3),
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<RnnLayer>& b) const;
  double flops(const KernelArgs& k) const;
};

/// Computes the requested gradients of RnnLayer from its workspace. grad_biases (2, gates H)
/// contains those of bias_ih and bias_hh. The op has no gradient: RnnLayer differentiates a
/// composition of ops if its gradients must be differentiable.
struct RnnLayerBackward {
  std::string mode = "LSTM";
  Shape batch_sizes{};
  bool reverse = false;
  bool compute_grad_input = true, compute_grad_weight_ih = true, compute_grad_weight_hh = true,
       compute_grad_biases = true, compute_grad_hx = true, compute_grad_cx = true;
  TAPER_ATTRIBUTES(mode, batch_sizes, reverse, compute_grad_input, compute_grad_weight_ih,
                   compute_grad_weight_hh, compute_grad_biases, compute_grad_hx, compute_grad_cx)
  static constexpr OpInfo op{
      .name = "rnn_layer_backward",
      .inputs = "input weight_ih weight_hh hx? cx? workspace grad_output? grad_hy? grad_cy?",
      .outputs = "grad_input grad_weight_ih grad_weight_hh grad_biases grad_hx grad_cx",
      .dtypes = DTypeSet::full_precision,
      .has_cpu_kernel = true,
      .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  double flops(const KernelArgs& k) const;
};

}  // namespace taper
