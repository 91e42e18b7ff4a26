// Connectionist temporal classification.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/reduction.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

/// Computes the connectionist temporal classification loss (Graves et al., 2006): the negative log
/// probability of a sequence of labels, summed over all alignments with the input.
///
/// `log_probs` `(T, N, C)` or `(T, C)` contains log-probabilities, for example from log_softmax.
/// `targets` contains the labels of each sample, as rows `(N, S)` with padding, or concatenated
/// `(sum of target_lengths)`. `input_lengths` and `target_lengths` `(N)` are the lengths of the
/// sequences; labels beyond them are ignored. `blank` is the class of the blank label. `reduction`
/// is Reduction::Mean (the losses are divided by their target lengths, at least 1, and averaged),
/// Sum or None. A sequence of labels that does not fit into its input has an infinite loss;
/// `zero_infinity` replaces such losses and their gradients by 0.
///
/// As in PyTorch, the gradient assumes normalized log-probabilities: it includes the derivative of
/// log_softmax. It cannot be differentiated again. Throws ShapeError if shapes do not match,
/// ValueError for lengths, a blank or a reduction out of range, IndexError for a label that is not
/// a class, DTypeError or NotImplementedError for unsupported dtypes. PyTorch: torch.ctc_loss.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, IntArg blank = 0, IntArg reduction = Reduction::Mean,
                bool zero_infinity = false);
/// As ctc_loss above, with lists of lengths.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Shape& input_lengths,
                const Shape& target_lengths, IntArg blank = 0, IntArg reduction = Reduction::Mean,
                bool zero_infinity = false);

}  // namespace taper
