// Normalization of groups of 16-bit floats, in slices that are converted to f32 in the cache.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/dtype_table.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"
#include "ops/kernel/narrow_values.h"
#include "ops/norm/group_norm.h"
#include "taper/core/dtype.h"

namespace taper::narrow_groups {

using kernel::Conversions;

/// Returns true if a view is contiguous and of a 16-bit type.
inline bool is_narrow(const View& v) {
  return v.shape && is_reduced_floating_point(v.dtype) && is_contiguous(v);
}
/// Returns true if an output is absent or can be stored by `store_floats`.
inline bool is_float_output(const View& v) {
  return !v.shape ||
         ((v.dtype == DType::f32 || is_reduced_floating_point(v.dtype)) && is_contiguous(v));
}
inline void store_floats(const View& v, const std::vector<float>& values) {
  if (!v.shape || values.empty()) return;
  if (v.dtype == DType::f32)
    std::memcpy(v.data, values.data(), values.size() * sizeof(float));
  else
    Conversions(v.dtype).write(v, 0, values.data(), std::ssize(values));
}

/// An optional contiguous input as f32.
class FloatInput {
 public:
  FloatInput(const KernelArgs& k, int i) {
    if (!k.has(i)) return;
    const View& v = k.in[static_cast<std::size_t>(i)];
    if (v.dtype == DType::f32 && is_contiguous(v)) {
      data_ = reinterpret_cast<const float*>(v.data);
    } else if (is_narrow(v)) {
      copy_.resize(static_cast<std::size_t>(v.numel));
      Conversions(v.dtype).read(v, 0, copy_.data(), v.numel);
      data_ = copy_.data();
    } else {
      is_supported_ = false;
    }
  }
  bool is_supported() const { return is_supported_; }
  const float* from(std::int64_t offset) const { return data_ ? data_ + offset : nullptr; }

 private:
  std::vector<float> copy_{};
  const float* data_ = nullptr;
  bool is_supported_ = true;
};

/// Division of all rows into slices of whole samples or, if samples are large, of one group.
struct Slices {
  GroupShape all;
  bool whole = true;  ///< slices consist of whole samples
  std::int64_t samples_each = 1, count = 0;

  Slices(const GroupShape& s, std::int64_t elements) : all(s) {
    const std::int64_t sample = s.groups * s.row_size();
    whole = s.groups == 1 || sample <= elements;
    samples_each = whole ? std::max<std::int64_t>(1, elements / sample) : 1;
    count = whole ? (s.samples + samples_each - 1) / samples_each : s.rows();
  }
  struct Slice {
    GroupShape shape;
    std::int64_t row, parameter, sums;  ///< first row and parameter, index of the partial sums
    std::int64_t first(const GroupShape& all) const { return row * all.row_size(); }
    std::int64_t elements() const { return shape.rows() * shape.row_size(); }
  };
  Slice operator[](std::int64_t i) const {
    Slice slice{all, 0, 0, i};
    if (whole) {
      slice.row = i * samples_each * all.groups;
      slice.shape.samples = std::min(samples_each, all.samples - i * samples_each);
    } else {
      slice.row = i, slice.parameter = i % all.groups * all.channels, slice.sums = i / all.groups;
      slice.shape.samples = slice.shape.groups = 1;
    }
    return slice;
  }
  std::int64_t max_elements() const { return (*this)[0].elements(); }
  /// Number of partial sums of each parameter.
  std::int64_t sums() const { return whole ? count : all.samples; }
};

template <NormKind kind> bool normalize(const GroupNormalize<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const View &x = k.in[0], &y = k.out[0];
  const GroupShape s = o.groups_of(*x.shape);
  if (!is_narrow(x) || !is_narrow(y) || y.dtype != x.dtype || s.rows() * s.row_size() == 0)
    return false;
  const Conversions convert(x.dtype);
  const View& out_mean = k.out[1];
  const View& out_rstd = k.out[static_cast<std::size_t>(Operands::kRstd)];
  if (!convert || !is_float_output(out_mean) || !is_float_output(out_rstd)) return false;
  const FloatInput weight(k, 1), bias(k, 2);
  if (!weight.is_supported() || !bias.is_supported()) return false;
  const auto rows = static_cast<std::size_t>(s.rows());
  std::vector<float> mean(Operands::kCentered ? rows : 0), rstd(rows);
  constexpr std::int64_t kElements = std::int64_t{1} << 13;
  const Slices slices(s, kElements);
  const std::int64_t size = slices.max_elements();
  cpu::parallel_for(0, slices.count, 1, [&](std::int64_t begin, std::int64_t end) {
    const cpu::Scratch scratch(static_cast<std::size_t>(2 * size) * sizeof(float));
    float *const from = scratch.as<float>(), *const to = from + size;
    for (std::int64_t i = begin; i < end; ++i) {
      const Slices::Slice slice = slices[i];
      const auto row = static_cast<std::size_t>(slice.row);
      convert.read(x, slice.first(s), from, slice.elements());
      cpu::group_normalize(slice.shape, o.eps, from, weight.from(slice.parameter),
                           bias.from(slice.parameter), to,
                           Operands::kCentered ? mean.data() + row : nullptr, rstd.data() + row);
      convert.write(y, slice.first(s), to, slice.elements());
    }
  });
  if (Operands::kCentered) store_floats(out_mean, mean);
  store_floats(out_rstd, rstd);
  return true;
}

/// Adds up partial sums of parameters and stores the totals.
inline void store_sums(const View& v, const std::vector<float>& sums, std::int64_t parameters) {
  if (!v.shape) return;
  const std::int64_t parts = std::ssize(sums) / parameters;
  std::vector<float> totals(static_cast<std::size_t>(parameters));
  for (std::int64_t p = 0; p < parameters; ++p) {
    double total = 0;
    for (std::int64_t i = 0; i < parts; ++i)
      total += static_cast<double>(sums[static_cast<std::size_t>(i * parameters + p)]);
    totals[static_cast<std::size_t>(p)] = static_cast<float>(total);
  }
  store_floats(v, totals);
}

template <NormKind kind>
bool differentiate(const GroupNormalizeBackward<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const View &g = k.in[0], &x = k.in[1], &dx = k.out[0], &dweight = k.out[1];
  const View none{};
  const View& dbias = Operands::kCentered ? k.out[2] : none;
  const GroupShape s = o.groups_of(*x.shape);
  if (!is_narrow(x) || !is_narrow(g) || g.dtype != x.dtype || s.rows() * s.row_size() == 0)
    return false;
  if ((dx.shape && (!is_narrow(dx) || dx.dtype != x.dtype)) || !is_float_output(dweight) ||
      !is_float_output(dbias))
    return false;
  const Conversions convert(x.dtype);
  // Partial sums take at most an eighth of the memory of the elements.
  const std::int64_t parameters = s.parameters();
  const Slices slices(s, std::max<std::int64_t>(std::int64_t{1} << 15, 8 * parameters));
  const std::int64_t size = slices.max_elements();
  if (!convert) return false;
  const FloatInput mean(k, Operands::kCentered ? 2 : -1), rstd(k, Operands::kGradRstd),
      weight(k, Operands::kGradWeight);
  if (!mean.is_supported() || !rstd.is_supported() || !weight.is_supported()) return false;
  const auto partial = static_cast<std::size_t>(slices.sums() * parameters);
  std::vector<float> of_weight(dweight.shape ? partial : 0), of_bias(dbias.shape ? partial : 0);
  cpu::parallel_for(0, slices.count, 1, [&](std::int64_t begin, std::int64_t end) {
    const cpu::Scratch scratch(static_cast<std::size_t>(3 * size) * sizeof(float));
    float *const from = scratch.as<float>(), *const grad = from + size, *const to = grad + size;
    for (std::int64_t i = begin; i < end; ++i) {
      const Slices::Slice slice = slices[i];
      convert.read(x, slice.first(s), from, slice.elements());
      convert.read(g, slice.first(s), grad, slice.elements());
      const auto at = static_cast<std::size_t>(slice.sums * parameters + slice.parameter);
      cpu::group_normalize_backward(slice.shape, from, grad, mean.from(slice.row),
                                    rstd.from(slice.row), weight.from(slice.parameter),
                                    dx.shape ? to : nullptr,
                                    dweight.shape ? of_weight.data() + at : nullptr,
                                    dbias.shape ? of_bias.data() + at : nullptr);
      if (dx.shape) convert.write(dx, slice.first(s), to, slice.elements());
    }
  });
  store_sums(dweight, of_weight, parameters);
  store_sums(dbias, of_bias, parameters);
  return true;
}

}  // namespace taper::narrow_groups
