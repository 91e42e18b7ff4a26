// Batches of sequences of different lengths, padded or packed. PyTorch: torch.nn.utils.rnn.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/convert.h"

namespace TAPER_API taper {
namespace nn::utils::rnn {

/// Sequences packed by time step: `data` `(sum of lengths, *)` contains the first elements of all
/// sequences in the order of descending length, then the second elements, and so on. Created by
/// pack_padded_sequence and pack_sequence; input and output of RNN, LSTM and GRU. Its Value is a
/// tuple of four. PyTorch: torch.nn.utils.rnn.PackedSequence.
struct PackedSequence {
  Tensor data;
  Tensor batch_sizes;         ///< int64 on the cpu, `(T)`: number of sequences at each step
  Tensor sorted_indices{};    ///< int64 `(B)`: sequence at each position; undefined: unsorted
  Tensor unsorted_indices{};  ///< inverse permutation: position of each sequence

  PackedSequence() = default;
  /// Computes unsorted_indices from sorted_indices unless both are given. Throws ValueError unless
  /// batch_sizes is an int64 vector on the cpu.
  PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                 Tensor unsorted_indices = {});

  /// Returns the sequences with `data` converted and the indices on the device of `data`.
  PackedSequence to(DType dtype) const;
  PackedSequence to(Device device) const;
  /// Returns Python's printed form: `PackedSequence(data=tensor([4, 1]), batch_sizes=tensor([2]),
  /// ...)`.
  std::string str() const;
};
/// Writes `sequence.str()`.
std::ostream& operator<<(std::ostream& out, const PackedSequence& sequence);

/// Options of pack_padded_sequence.
struct PackOptions {
  bool batch_first = false;    ///< the input is `(B, T, *)`
  bool enforce_sorted = true;  ///< requires decreasing lengths; if false, sorts the sequences
};
/// Packs a padded batch `(T, B, *)`, or `(B, T, *)` with batch_first, of sequences of the given
/// lengths `(B)`. Differentiable. Throws RuntimeError if the input is empty, if `lengths` is not a
/// vector of size B on the cpu, if a length is not positive or exceeds T, or if the lengths are not
/// in decreasing order and enforce_sorted is set. PyTorch: torch.nn.utils.rnn.pack_padded_sequence.
PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                    const PackOptions& options = {});
PackedSequence pack_padded_sequence(const Tensor& input, const Shape& lengths,
                                    const PackOptions& options = {});

/// Options of pad_packed_sequence.
struct PadPackedOptions {
  bool batch_first = false;  ///< the output is `(B, T, *)`
  Scalar padding_value = 0.0;
  std::optional<std::int64_t> total_length{};  ///< T; default: the maximum length
};
/// Returns the padded batch `(T, B, *)`, or `(B, T, *)` with batch_first, and the lengths `(B)`, in
/// the order before packing. Throws ValueError if total_length is less than the maximum length.
/// PyTorch: torch.nn.utils.rnn.pad_packed_sequence.
std::pair<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                              const PadPackedOptions& options = {});

/// Options of pad_sequence.
struct PadSequenceOptions {
  bool batch_first = false;  ///< the output is `(B, T, *)`
  Scalar padding_value = 0.0;
  std::string padding_side = "right";  ///< "right" or "left"
};
/// Stacks B sequences `(L, *)` along a new dimension, with padding to the maximum length T. The
/// result is `(T, B, *)`, or `(B, T, *)` with batch_first. Throws RuntimeError if `sequences` is
/// empty, if dimensions other than the first differ, or if padding_side is invalid.
/// PyTorch: torch.nn.utils.rnn.pad_sequence.
Tensor pad_sequence(std::span<const Tensor> sequences, const PadSequenceOptions& options = {});
inline Tensor pad_sequence(std::initializer_list<Tensor> sequences,
                           const PadSequenceOptions& options = {}) {
  return pad_sequence(std::span(sequences.begin(), sequences.size()), options);
}

/// Returns the sequences of a padded batch, cut to their lengths, as separate tensors. Unlike in
/// PyTorch, the argument is not transposed in place. Throws ValueError unless there is one length
/// per sequence. PyTorch: torch.nn.utils.rnn.unpad_sequence.
std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths,
                                   bool batch_first = false);

/// Packs sequences `(L, *)`. Throws the errors of pad_sequence and pack_padded_sequence.
/// PyTorch: torch.nn.utils.rnn.pack_sequence.
PackedSequence pack_sequence(std::span<const Tensor> sequences, bool enforce_sorted = true);
inline PackedSequence pack_sequence(std::initializer_list<Tensor> sequences,
                                    bool enforce_sorted = true) {
  return pack_sequence(std::span(sequences.begin(), sequences.size()), enforce_sorted);
}

/// Returns the sequences that were packed. PyTorch: torch.nn.utils.rnn.unpack_sequence.
std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences);

/// Returns the inverse of a permutation `(N)` of 0 to N-1; undefined if `permutation` is undefined.
/// PyTorch: torch.nn.utils.rnn.invert_permutation.
Tensor invert_permutation(const Tensor& permutation);

}  // namespace nn::utils::rnn
}  // namespace taper

namespace TAPER_API taper {
namespace nn {

template <> struct Convert<utils::rnn::PackedSequence> {
  static Value to(const utils::rnn::PackedSequence& sequence);
  /// Throws TypeError unless `v` is a tuple of four.
  static utils::rnn::PackedSequence from(const Value& v);
};

}  // namespace nn
}  // namespace taper
