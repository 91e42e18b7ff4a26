#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/norm/group_norm.h"

namespace taper {
namespace {

/// Returns the elements of a view in row-major order; empty if it is absent.
std::vector<double> values_of(const View& v) {
  std::vector<double> values;
  if (!v.shape) return values;
  values.reserve(static_cast<std::size_t>(v.numel));
  kernel::walk<1>(*v.shape, {&v}, [&](const std::array<std::int64_t, 1>& at) {
    values.push_back(kernel::load<double>(v.data + at[0], v.dtype));
  });
  return values;
}
std::vector<double> input_values(const KernelArgs& k, int i) {
  return k.has(i) ? values_of(k.in[static_cast<std::size_t>(i)]) : std::vector<double>();
}

void put(const View& v, std::size_t i, double value) {  // outputs are row-major
  if (v.shape) kernel::store(v.data + i * size_of(v.dtype), v.dtype, value);
}

/// Index of the parameter of element i of row `row`.
std::size_t parameter_of(const GroupShape& s, std::size_t row, std::size_t i) {
  return row % static_cast<std::size_t>(s.groups) * static_cast<std::size_t>(s.channels) +
         i / static_cast<std::size_t>(s.space);
}

template <NormKind kind> void normalize_groups(const GroupNormalize<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const GroupShape s = o.groups_of(*k.in[0].shape);
  const auto size = static_cast<std::size_t>(s.row_size());
  const std::vector<double> x = values_of(k.in[0]), weight = input_values(k, 1),
                            bias = input_values(k, 2);
  for (std::size_t row = 0; row < static_cast<std::size_t>(s.rows()); ++row) {
    const double* const values = x.data() + row * size;
    double mean = 0, variance = 0;
    if (Operands::kCentered)
      for (std::size_t i = 0; i < size; ++i) mean += values[i] / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i)
      variance += (values[i] - mean) * (values[i] - mean) / static_cast<double>(size);
    const double rstd = 1 / std::sqrt(variance + o.eps);
    if (Operands::kCentered) put(k.out[1], row, mean);
    put(k.out[Operands::kRstd], row, rstd);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t p = parameter_of(s, row, i);
      put(k.out[0], row * size + i,
          (values[i] - mean) * rstd * (weight.empty() ? 1 : weight[p]) +
              (bias.empty() ? 0 : bias[p]));
    }
  }
}

template <NormKind kind>
void differentiate_groups(const GroupNormalizeBackward<kind>& o, const KernelArgs& k) {
  using Operands = NormOperands<kind>;
  const GroupShape s = o.groups_of(*k.in[1].shape);
  const auto size = static_cast<std::size_t>(s.row_size());
  const std::vector<double> g = values_of(k.in[0]), x = values_of(k.in[1]),
                            rstd = input_values(k, Operands::kGradRstd),
                            weight = input_values(k, Operands::kGradWeight),
                            mean = Operands::kCentered ? input_values(k, 2)
                                                       : std::vector<double>(rstd.size(), 0);
  std::vector<double> dweight(static_cast<std::size_t>(s.parameters()), 0), dbias = dweight;
  for (std::size_t row = 0; row < static_cast<std::size_t>(s.rows()); ++row) {
    const auto normalized = [&](std::size_t i) {
      return (x[row * size + i] - mean[row]) * rstd[row];
    };
    const auto weighted = [&](std::size_t i) {
      return g[row * size + i] * (weight.empty() ? 1 : weight[parameter_of(s, row, i)]);
    };
    double sum = 0, product = 0;
    for (std::size_t i = 0; i < size; ++i) {
      sum += weighted(i), product += weighted(i) * normalized(i);
      dweight[parameter_of(s, row, i)] += g[row * size + i] * normalized(i);
      dbias[parameter_of(s, row, i)] += g[row * size + i];
    }
    const double count = static_cast<double>(size);
    const double center = Operands::kCentered ? sum / count : 0;
    for (std::size_t i = 0; i < size; ++i)
      put(k.out[0], row * size + i,
          rstd[row] * (weighted(i) - center - normalized(i) * product / count));
  }
  for (std::size_t p = 0; p < dweight.size(); ++p) {
    put(k.out[1], p, dweight[p]);
    if (Operands::kCentered) put(k.out[2], p, dbias[p]);
  }
}

}  // namespace

template <> void reference_kernel(const LayerNormOp& o, const KernelArgs& k) {
  normalize_groups(o, k);
}
template <> void reference_kernel(const GroupNormOp& o, const KernelArgs& k) {
  normalize_groups(o, k);
}
template <> void reference_kernel(const RmsNormOp& o, const KernelArgs& k) {
  normalize_groups(o, k);
}

#define TAPER_GROUP_BACKWARD_KERNEL(kind)                                                       \
  template <>                                                                                   \
  void reference_kernel(const GroupNormalizeBackward<NormKind::kind>& o, const KernelArgs& k) { \
    differentiate_groups(o, k);                                                                 \
  }
TAPER_GROUP_BACKWARD_KERNEL(layer)
TAPER_GROUP_BACKWARD_KERNEL(group)
TAPER_GROUP_BACKWARD_KERNEL(rms)

}  // namespace taper
