// Sequences of several lengths in one batch: padded, or packed without padding.
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

/// Sequences packed step by step: `data (sum of lengths, *)` holds the first elements of all
/// sequences, the longest first, then the second ones, and so on. RNN, LSTM and GRU take one and
/// give one. Made by pack_padded_sequence and pack_sequence. As a Value it is a tuple of four.
/// PyTorch: torch.nn.utils.rnn.PackedSequence.
struct PackedSequence {
  Tensor data;
  Tensor batch_sizes;       ///< int64 on the cpu `(T)`: how many sequences are as long as each step
  Tensor sorted_indices{};  ///< int64 `(B)`: the sequence at each place; undefined: in order
  Tensor unsorted_indices{};  ///< its inverse: the place of each sequence

  PackedSequence() = default;
  /// Inverts `sorted_indices` unless both are given. Throws ValueError for batch sizes that are not
  /// a vector of int64 on the cpu.
  PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                 Tensor unsorted_indices = {});

  /// `data` converted, indices on the device of `data`.
  PackedSequence to(DType dtype) const;
  PackedSequence to(Device device) const;
  /// As Python prints it: `PackedSequence(data=tensor([4, 1]), batch_sizes=tensor([2]), ...)`.
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const PackedSequence& sequence);

struct PackOptions {
  bool batch_first = false;    ///< the input is `(B, T, *)`
  bool enforce_sorted = true;  ///< refuse lengths that rise, in place of sorting them
};
/// Packs a padded batch `(T, B, *)`, or `(B, T, *)`, of sequences with these lengths, one per
/// sequence. Gradients flow back. PyTorch: torch.nn.utils.rnn.pack_padded_sequence. Throws
/// RuntimeError for an input without elements, lengths that are not a vector of B on the cpu, not
/// positive, larger than T, or, where sorting is enforced, not in decreasing order.
PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                    const PackOptions& options = {});
PackedSequence pack_padded_sequence(const Tensor& input, const Shape& lengths,
                                    const PackOptions& options = {});

struct PadPackedOptions {
  bool batch_first = false;  ///< give `(B, T, *)`
  Scalar padding_value = 0.0;
  std::optional<std::int64_t> total_length{};  ///< T; default: the longest length
};
/// The padded batch `(T, B, *)`, or `(B, T, *)`, and the lengths `(B)`, in the order from before
/// packing. PyTorch: torch.nn.utils.rnn.pad_packed_sequence. Throws ValueError for a total length
/// below the longest.
std::pair<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                              const PadPackedOptions& options = {});

struct PadSequenceOptions {
  bool batch_first = false;  ///< give `(B, T, *)`
  Scalar padding_value = 0.0;
  std::string padding_side = "right";  ///< or "left"
};
/// Stacks B sequences `(L, *)` along a new dimension: `(T, B, *)`, or `(B, T, *)`, with T the
/// longest L. PyTorch: torch.nn.utils.rnn.pad_sequence. Throws RuntimeError for no sequences, other
/// dimensions than the first that differ, and an unknown side.
Tensor pad_sequence(std::span<const Tensor> sequences, const PadSequenceOptions& options = {});
inline Tensor pad_sequence(std::initializer_list<Tensor> sequences,
                           const PadSequenceOptions& options = {}) {
  return pad_sequence(std::span(sequences.begin(), sequences.size()), options);
}

/// The sequences of a padded batch, cut to their lengths, as tensors of their own. PyTorch:
/// torch.nn.utils.rnn.unpad_sequence, which also transposes its argument in place unless
/// `batch_first`. Throws ValueError unless there is one length per sequence.
std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths,
                                   bool batch_first = false);

/// Packs sequences `(L, *)`. PyTorch: torch.nn.utils.rnn.pack_sequence. Throws as pad_sequence and
/// pack_padded_sequence.
PackedSequence pack_sequence(std::span<const Tensor> sequences, bool enforce_sorted = true);
inline PackedSequence pack_sequence(std::initializer_list<Tensor> sequences,
                                    bool enforce_sorted = true) {
  return pack_sequence(std::span(sequences.begin(), sequences.size()), enforce_sorted);
}

/// The sequences that were packed. PyTorch: torch.nn.utils.rnn.unpack_sequence.
std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences);

/// The inverse of a permutation `(N)` of 0 to N-1; undefined for an undefined one. PyTorch:
/// torch.nn.utils.rnn.invert_permutation.
Tensor invert_permutation(const Tensor& permutation);

}  // namespace nn::utils::rnn
}  // namespace taper

namespace TAPER_API taper {
namespace nn {

template <> struct Convert<utils::rnn::PackedSequence> {
  static Value to(const utils::rnn::PackedSequence& sequence);
  /// Throws TypeError for what is no tuple of four.
  static utils::rnn::PackedSequence from(const Value& v);
};

}  // namespace nn
}  // namespace taper
