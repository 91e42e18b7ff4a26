// Repetition, rotation and cyclic shifts.
#include "ops/forms.h"
#include "taper/core/factory.h"

namespace taper {

Tensor ops::RearrangeMethods::repeat(const Shape& repeats) const {
  const Tensor& x = self_of(this);
  if (repeats.size() < x.shape().size())
    fail<ShapeError>(
        "repeat: Number of dimensions of repeat dims can not be smaller than number of dimensions "
        "of tensor: got {} for shape {}",
        repeats, x.shape());
  const std::size_t lead = repeats.size() - x.shape().size();
  // Each dimension is a pair: the number of repetitions and the size.
  Shape pairs, expanded, result;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    const std::int64_t n = d < lead ? 1 : x.shape()[d - lead];
    if (repeats[d] < 0)
      fail<ValueError>("repeat: Trying to create tensor with negative dimension: got {}", repeats);
    pairs.push_back(1), pairs.push_back(n);
    expanded.push_back(repeats[d]), expanded.push_back(n);
    std::int64_t size = 0;
    if (__builtin_mul_overflow(n, repeats[d], &size))
      fail<ShapeError>("repeat: the size of dimension {} exceeds 2^63 - 1", d);
    result.push_back(size);
  }
  const Tensor copy = x.reshape(pairs).expand(expanded).clone().reshape(result);
  return copy;
}

Tensor tile(const Tensor& x, const Shape& dims) {
  Shape repeats = dims;
  while (repeats.size() < x.shape().size()) repeats.insert(0, 1);
  return x.repeat(repeats);
}

namespace {

/// Returns the input with dimension `d` shifted by `shift` positions.
Tensor roll_dim(const Tensor& x, std::int64_t shift, std::int64_t d) {
  const std::int64_t n = x.size(d), rest = shift % n, start = rest > 0 ? n - rest : -rest;
  return cat({x.slice(d, start, n), x.slice(d, 0, start)}, d);
}

}  // namespace

Tensor roll(const Tensor& x, const Shape& shifts, const Dims& dims) {
  if (dims.empty() && shifts.size() == 1) {
    if (x.numel() == 0) return x.clone();
    return roll_dim(x.reshape(-1), shifts[0], 0).reshape(x.shape());
  }
  if (shifts.empty()) fail<ValueError>("roll: `shifts` required");
  if (shifts.size() != dims.size())
    fail<ValueError>("roll: shifts and dimensions must align. shifts: {}, dims: {}", shifts.size(),
                     dims.size());
  if (x.dim() == 0 && !dims.empty())
    fail<IndexError>("roll: Dimension specified as {} but tensor has no dimensions", dims[0]);
  for (const std::int64_t d : dims) wrap_dim(d, x.shape().size(), "roll");
  if (x.numel() == 0) return x.clone();
  Tensor result = x;
  for (std::size_t i = 0; i < dims.size(); ++i) result = roll_dim(result, shifts[i], dims[i]);
  return result;
}

Tensor rot90(const Tensor& x, IntArg k, const Dims& dims) {
  if (dims.size() != 2)
    fail<ValueError>("rot90: expected total rotation dims == 2, but got dims = {}", dims.size());
  if (x.dim() < 2)
    fail<ShapeError>("rot90: expected total dims >= 2, but got total dims = {}", x.dim());
  const std::int64_t a = wrap_dim(dims[0], x.shape().size(), "rot90"),
                     b = wrap_dim(dims[1], x.shape().size(), "rot90");
  if (a == b)
    fail<ValueError>(
        "rot90: expected rotation dims to be different, but got dim0 = {} and dim1 = {}", dims[0],
        dims[1]);
  switch ((k % 4 + 4) % 4) {
    case 1: return x.flip(b).transpose(a, b);
    case 2: return x.flip({a, b});
    case 3: return x.flip(a).transpose(a, b);
    default: return x.clone();
  }
}

namespace {

/// Returns the indices (int64) that repeat element i of a dimension repeats[i] times.
Tensor repeated_indices(const Tensor& repeats) {
  NoGrad guard;
  if (repeats.dim() != 1)
    fail<ShapeError>("repeat_interleave: only accept 1D vector as repeat: got shape {}",
                     repeats.shape());
  if (is_floating_point(repeats.dtype()) || repeats.dtype() == DType::bool_)
    fail<DTypeError>("repeat_interleave: repeats has to be an integer tensor: got {}",
                     repeats.dtype());
  if (repeats.device().is_meta())
    fail<NotImplementedError>(
        "repeat_interleave: the output shape depends on data: got a meta tensor");
  const TensorOptions indices{.dtype = DType::i64, .device = repeats.device()};
  if (repeats.numel() == 0) return zeros({0}, indices);
  if (repeats.min().item<std::int64_t>() < 0)
    fail<ValueError>("repeat_interleave: repeats can not be negative");
  constexpr std::int64_t kMaxTotal = std::int64_t{1} << 62;
  if (repeats.max().item<std::int64_t>() > kMaxTotal / repeats.numel() &&
      repeats.to(DType::f64).sum().item<double>() > static_cast<double>(kMaxTotal))
    fail<ShapeError>("repeat_interleave: the sum of the repeats is too large");
  const Tensor ends = repeats.to(DType::i64).cumsum(0);
  const Tensor position = arange(ends.select(0, -1).item<std::int64_t>(), indices);
  // The number of ends at or before a position is the index that it repeats.
  return bucketize(position, ends, false, true);
}

void check_output_size(std::optional<IntArg> wanted, std::int64_t size) {
  if (wanted && *wanted != size)
    fail<ShapeError>(
        "repeat_interleave: allocated size does not match required size: got {}, expected {}",
        *wanted, size);
}

}  // namespace

Tensor repeat_interleave(const Tensor& repeats) {
  return repeated_indices(repeats).to(repeats.dtype());
}

Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, std::optional<IntArg> dim,
                         std::optional<IntArg> output_size) {
  const Tensor x = dim ? input : input.reshape(-1);
  const std::int64_t d = dim ? wrap_dim(*dim, x.shape().size(), "repeat_interleave") : 0;
  const std::int64_t n = x.dim() == 0 ? 1 : x.size(d);
  if (repeats.dim() > 1)
    fail<ShapeError>("repeat_interleave: repeats must be 0-dim or 1-dim tensor: got shape {}",
                     repeats.shape());
  Tensor each = repeats;
  if (repeats.numel() == 1)
    each = repeats.reshape({1}).expand({n});
  else if (repeats.numel() != n)
    fail<ShapeError>(
        "repeat_interleave: repeats must have the same size as input along dim, but got "
        "repeats.size(0) = {} and input.size({}) = {}",
        repeats.numel(), d, n);
  const Tensor index = repeated_indices(each);
  check_output_size(output_size, index.numel());
  return x.index_select(d, index);
}
Tensor repeat_interleave(const Tensor& input, IntArg repeats, std::optional<IntArg> dim,
                         std::optional<IntArg> output_size) {
  if (repeats < 0)
    fail<ValueError>("repeat_interleave: repeats can not be negative: got {}", repeats);
  const Tensor x = dim ? input : input.reshape(-1);
  if (x.dim() == 0)
    return repeat_interleave(
        x, full({1}, static_cast<std::int64_t>(repeats), {.device = x.device()}), dim, output_size);
  const auto d =
      static_cast<std::size_t>(dim ? wrap_dim(*dim, x.shape().size(), "repeat_interleave") : 0);
  Shape expanded = x.shape(), result = x.shape();
  expanded.insert(d + 1, repeats);
  if (__builtin_mul_overflow(result[d], static_cast<std::int64_t>(repeats), &result[d]))
    fail<ShapeError>("repeat_interleave: the size of dimension {} exceeds 2^63 - 1", d);
  check_output_size(output_size, result[d]);
  return x.unsqueeze(static_cast<std::int64_t>(d) + 1).expand(expanded).clone().reshape(result);
}

namespace ops {
Tensor RearrangeMethods::tile(const Shape& dims) const { return taper::tile(self_of(this), dims); }
Tensor RearrangeMethods::roll(const Shape& shifts, const Dims& dims) const {
  return taper::roll(self_of(this), shifts, dims);
}
Tensor RearrangeMethods::rot90(IntArg k, const Dims& dims) const {
  return taper::rot90(self_of(this), k, dims);
}
Tensor RearrangeMethods::repeat_interleave(IntArg repeats, std::optional<IntArg> dim,
                                           std::optional<IntArg> output_size) const {
  return taper::repeat_interleave(self_of(this), repeats, dim, output_size);
}
Tensor RearrangeMethods::repeat_interleave(const Tensor& repeats, std::optional<IntArg> dim,
                                           std::optional<IntArg> output_size) const {
  return taper::repeat_interleave(self_of(this), repeats, dim, output_size);
}
}  // namespace ops

}  // namespace taper
