#include "taper/nn/utils/rnn.h"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::nn::utils::rnn {
namespace {

using Lengths = std::vector<std::int64_t>;

Tensor index_tensor(const Lengths& values, Device device) {
  return tensor(values, {.dtype = int64}).to(device);
}

Lengths to_lengths(const Tensor& vector) {
  const Tensor row_major = vector.contiguous();
  const auto data = row_major.data<std::int64_t>();
  return {data.begin(), data.end()};
}

/// Returns the shape with the first two dimensions merged: `(T * B, *)`.
Shape merged_shape(const Shape& padded) {
  Shape shape = padded;
  shape.erase(0);
  shape[0] *= padded[0];
  return shape;
}

void check_lengths(const Lengths& sorted, std::int64_t steps) {
  if (sorted.back() <= 0)
    fail<RuntimeError>(
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
        "<= 0");
  if (!std::is_sorted(sorted.rbegin(), sorted.rend()))
    fail<RuntimeError>(
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
        "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
        "requirement if you do not need ONNX exportability.");
  if (sorted.front() > steps)
    fail<RuntimeError>("pack_padded_sequence: got a length of {} in a batch padded to {}",
                       sorted.front(), steps);
}

/// Returns for each step how many of the lengths, which are in descending order, exceed it.
Lengths compute_batch_sizes(const Lengths& sorted) {
  Lengths sizes;
  std::size_t batch = sorted.size();
  for (std::int64_t step = 0; step < sorted.front(); ++step) {
    while (sorted[batch - 1] <= step) --batch;
    sizes.push_back(static_cast<std::int64_t>(batch));
  }
  return sizes;
}

/// Returns for each row of packed data its row in the padded batch.
Lengths packed_row_indices(const Lengths& batch_sizes, const Lengths& order,
                           std::int64_t step_stride, std::int64_t batch_stride) {
  Lengths at;
  for (std::size_t step = 0; step < batch_sizes.size(); ++step)
    for (std::size_t b = 0; b < static_cast<std::size_t>(batch_sizes[step]); ++b)
      at.push_back(static_cast<std::int64_t>(step) * step_stride + order[b] * batch_stride);
  return at;
}

Lengths ascending_indices(std::size_t n) {
  Lengths order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Returns the index of the sequence at each position of a packed batch. Throws RuntimeError for
/// indices out of range.
Lengths sorted_order(const PackedSequence& sequence, std::size_t batch) {
  Lengths order = ascending_indices(batch);
  if (!sequence.unsorted_indices.defined()) return order;
  const Lengths positions = to_lengths(sequence.unsorted_indices.to(Device::cpu()));
  const auto is_in_range = [&](std::int64_t p) { return p >= 0 && p < std::ssize(order); };
  if (positions.size() != batch || !std::all_of(positions.begin(), positions.end(), is_in_range))
    fail<RuntimeError>(
        "pad_packed_sequence: expected unsorted_indices from 0 to {}, got {} elements",
        std::ssize(order) - 1, positions.size());
  for (std::size_t b = 0; b < batch; ++b)
    order[static_cast<std::size_t>(positions[b])] = static_cast<std::int64_t>(b);
  return order;
}

/// Returns a batch of shape `shape` whose rows `at` are the rows of `data`; all others are
/// `padding`.
Tensor scatter_rows(const Tensor& data, const Lengths& at, const Shape& shape,
                    const Scalar& padding) {
  // The padding is a floating-point number in PyTorch: a negative one does not wrap around in
  // unsigned types.
  const bool floating = !is_signed(data.dtype()) && padding.to_double() < 0;
  const Tensor rows = full(merged_shape(shape), floating ? Scalar(padding.to_double()) : padding,
                           {.dtype = data.dtype(), .device = data.device()});
  return rows.index_copy(0, index_tensor(at, data.device()), data).view(shape);
}

}  // namespace

PackedSequence::PackedSequence(Tensor d, Tensor sizes, Tensor sorted, Tensor unsorted)
    : data(std::move(d)),
      batch_sizes(std::move(sizes)),
      sorted_indices(std::move(sorted)),
      unsorted_indices(std::move(unsorted)) {
  if (!batch_sizes.device().is_cpu())
    fail<ValueError>(
        "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
        "manually. They should be instantiated by functions like pack_sequence and "
        "pack_padded_sequences in nn.utils.rnn. "
        "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence");
  if (batch_sizes.dim() != 1 || batch_sizes.numel() == 0 || batch_sizes.dtype() != int64)
    fail<ValueError>("PackedSequence: batch_sizes must be a vector of int64, got {} of shape {}",
                     batch_sizes.dtype(), batch_sizes.shape());
  if (!unsorted_indices.defined()) unsorted_indices = invert_permutation(sorted_indices);
}

PackedSequence PackedSequence::to(DType dtype) const {
  PackedSequence converted = *this;
  converted.data = data.to(dtype);
  return converted;
}

PackedSequence PackedSequence::to(Device device) const {
  PackedSequence moved = *this;
  moved.data = data.to(device);
  if (sorted_indices.defined()) moved.sorted_indices = sorted_indices.to(device);
  if (unsorted_indices.defined()) moved.unsorted_indices = unsorted_indices.to(device);
  return moved;
}

std::string PackedSequence::str() const {
  const auto str_or_none = [](const Tensor& t) { return t.defined() ? t.str() : "None"; };
  return "PackedSequence(data=" + str_or_none(data) + ", batch_sizes=" + str_or_none(batch_sizes) +
         ", sorted_indices=" + str_or_none(sorted_indices) +
         ", unsorted_indices=" + str_or_none(unsorted_indices) + ")";
}
std::ostream& operator<<(std::ostream& out, const PackedSequence& sequence) {
  return out << sequence.str();
}

PackedSequence pack_padded_sequence(const Tensor& input, const Shape& lengths,
                                    const PackOptions& o) {
  if (input.dim() < 2)
    fail<IndexError>("pack_padded_sequence: expected an input of at least 2 dimensions, got {}",
                     input.shape());
  if (input.numel() == 0) fail<RuntimeError>("Cannot pack empty tensors.");
  const std::int64_t batch = input.size(o.batch_first ? 0 : 1);
  const std::int64_t steps = input.size(o.batch_first ? 1 : 0);
  if (static_cast<std::int64_t>(lengths.size()) != batch)
    fail<RuntimeError>(
        "Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={})",
        lengths.size(), batch);
  Lengths order = ascending_indices(lengths.size());
  const auto length = [&](std::int64_t b) { return lengths[static_cast<std::size_t>(b)]; };
  if (!o.enforce_sorted)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
  Lengths sorted;
  for (const std::int64_t b : order) sorted.push_back(length(b));
  check_lengths(sorted, steps);
  const Lengths sizes = compute_batch_sizes(sorted);
  const Lengths at =
      packed_row_indices(sizes, order, o.batch_first ? 1 : batch, o.batch_first ? steps : 1);
  Tensor data =
      input.reshape(merged_shape(input.shape())).index_select(0, index_tensor(at, input.device()));
  return {std::move(data), tensor(sizes, {.dtype = int64}),
          o.enforce_sorted ? Tensor() : index_tensor(order, input.device())};
}

PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                    const PackOptions& options) {
  if (lengths.dim() != 1 || !lengths.device().is_cpu())
    fail<RuntimeError>(
        "'lengths' argument should be a 1D CPU int64 tensor, but got {}D {} {} tensor",
        lengths.dim(), lengths.device(), lengths.dtype());
  return pack_padded_sequence(input, Shape(to_lengths(lengths.to(int64))), options);
}

std::pair<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                              const PadPackedOptions& o) {
  const Lengths sizes = to_lengths(sequence.batch_sizes);
  const std::int64_t longest = static_cast<std::int64_t>(sizes.size());
  const std::int64_t steps = o.total_length.value_or(longest);
  if (steps < longest)
    fail<ValueError>(
        "Expected total_length to be at least the length of the longest sequence in input, but got "
        "total_length={} and max sequence length being {}",
        steps, longest);
  const std::int64_t batch = sizes.front(), rows = std::accumulate(sizes.begin(), sizes.end(), 0L);
  if (sequence.data.dim() == 0 || sequence.data.size(0) != rows)
    fail<RuntimeError>("pad_packed_sequence: expected data of {} rows by batch_sizes, got shape {}",
                       rows, sequence.data.shape());
  const Lengths order = sorted_order(sequence, static_cast<std::size_t>(batch));
  Lengths lengths(order.size());
  for (const std::int64_t size : sizes)
    for (std::int64_t b = 0; b < size; ++b)
      ++lengths[static_cast<std::size_t>(order[static_cast<std::size_t>(b)])];
  Shape shape = sequence.data.shape();
  shape[0] = o.batch_first ? steps : batch;
  shape.insert(0, o.batch_first ? batch : steps);
  const Lengths at =
      packed_row_indices(sizes, order, o.batch_first ? 1 : batch, o.batch_first ? steps : 1);
  return {scatter_rows(sequence.data, at, shape, o.padding_value),
          tensor(lengths, {.dtype = int64})};
}

Tensor pad_sequence(std::span<const Tensor> sequences, const PadSequenceOptions& o) {
  if (sequences.empty()) fail<RuntimeError>("received an empty list of sequences");
  if (o.padding_side != "left" && o.padding_side != "right")
    fail<RuntimeError>("Expected padding_side to be one of left or right, but got {}.",
                       o.padding_side);
  const std::int64_t batch = static_cast<std::int64_t>(sequences.size());
  std::int64_t steps = 0;
  for (const Tensor& s : sequences) {
    Shape one = s.shape(), first = sequences[0].shape();
    if (one.empty()) fail<RuntimeError>("pad_sequence: got a sequence without dimensions");
    steps = std::max(steps, one[0]);
    one[0] = first[0];
    if (one != first)
      fail<RuntimeError>(
          "pad_sequence: sequences must agree in all dimensions but the first: got {} and {}",
          first, s.shape());
  }
  Lengths at;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = sequences[static_cast<std::size_t>(b)].size(0);
    const std::int64_t from = o.padding_side == "left" ? steps - length : 0;
    for (std::int64_t t = from; t < from + length; ++t)
      at.push_back(o.batch_first ? b * steps + t : t * batch + b);
  }
  Shape shape = sequences[0].shape();
  shape[0] = o.batch_first ? steps : batch;
  shape.insert(0, o.batch_first ? batch : steps);
  const Tensor data = cat(sequences).to(sequences[0].dtype());
  return scatter_rows(data, at, shape, o.padding_value);
}

std::vector<Tensor> unpad_sequence(const Tensor& padded, const Tensor& lengths, bool batch_first) {
  if (padded.dim() < 2)
    fail<IndexError>("unpad_sequence: expected a batch of at least 2 dimensions, got {}",
                     padded.shape());
  const std::int64_t batch = padded.size(batch_first ? 0 : 1);
  if (lengths.dim() != 1 || lengths.size(0) != batch)
    fail<ValueError>("unpad_sequence: expected {} lengths, one per sequence, got shape {}", batch,
                     lengths.shape());
  const Lengths counts = to_lengths(lengths.to(Device::cpu()).to(int64));
  std::vector<Tensor> sequences;
  for (std::int64_t b = 0; b < batch; ++b) {
    const Tensor row = padded.select(batch_first ? 0 : 1, b);
    sequences.push_back(
        row.narrow(0, 0,
                   std::clamp<std::int64_t>(counts[static_cast<std::size_t>(b)], 0, row.size(0)))
            .clone());
  }
  return sequences;
}

PackedSequence pack_sequence(std::span<const Tensor> sequences, bool enforce_sorted) {
  const Tensor padded = pad_sequence(sequences);
  Shape lengths;
  for (const Tensor& s : sequences) lengths.push_back(s.size(0));
  return pack_padded_sequence(padded, lengths, {.enforce_sorted = enforce_sorted});
}

std::vector<Tensor> unpack_sequence(const PackedSequence& packed) {
  const auto [padded, lengths] = pad_packed_sequence(packed, {.batch_first = true});
  return unpad_sequence(padded, lengths, true);
}

Tensor invert_permutation(const Tensor& permutation) {
  if (!permutation.defined()) return {};
  const TensorOptions like{.dtype = permutation.dtype(), .device = permutation.device()};
  return empty_like(permutation, like).scatter_(0, permutation, arange(permutation.numel(), like));
}

}  // namespace taper::nn::utils::rnn

namespace taper::nn {

using utils::rnn::PackedSequence;

Value Convert<PackedSequence>::to(const PackedSequence& s) {
  const auto item = [](const Tensor& t) { return t.defined() ? Value(t) : Value(); };
  return Value::tuple({s.data, s.batch_sizes, item(s.sorted_indices), item(s.unsorted_indices)});
}

PackedSequence Convert<PackedSequence>::from(const Value& v) {
  const Values& items = detail::items_of(v, 4);
  const auto tensor_of = [&](std::size_t i) { return Convert<Tensor>::from(items[i]); };
  return {tensor_of(0), tensor_of(1), tensor_of(2), tensor_of(3)};
}

}  // namespace taper::nn
