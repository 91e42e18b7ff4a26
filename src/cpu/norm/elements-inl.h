// Gradients of normalizations in which each parameter belongs to one element per sample.
#if defined(TAPER_CPU_NORM_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_NORM_ELEMENTS_INL_H_
#undef TAPER_CPU_NORM_ELEMENTS_INL_H_
#else
#define TAPER_CPU_NORM_ELEMENTS_INL_H_
#endif

#include <algorithm>

#include "cpu/norm/group_norm.h"
#include "cpu/norm/row_parts.h"
#include "cpu/norm/vectors-inl.h"
#include "cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Adds dy * (x - mean) * rstd to `to_weight` and dy to `to_bias`.
HWY_INLINE void add_to_parameters(std::int64_t size, const float* x, const float* dy, float mean,
                                  float rstd, float* to_weight, float* to_bias) {
  const V m = hn::Set(D(), mean), scale = hn::Set(D(), rstd);
  for_each_vector(size, [&](std::int64_t j, std::size_t n) HWY_ATTR {
    const V g = load_lanes(dy + j, n);
    const V normalized = hn::Mul(hn::Sub(load_lanes(x + j, n), m), scale);
    store_lanes(hn::MulAdd(g, normalized, load_lanes(to_weight + j, n)), to_weight + j, n);
    store_lanes(hn::Add(g, load_lanes(to_bias + j, n)), to_bias + j, n);
  });
}

/// Computes the gradients of weight and bias, which may be null. Calls row(index) just before the
/// elements of a row are added, so that memory is read once, and finish() after the rows of a part.
template <class Row, class Finish>
void sum_elements(const GroupShape& s, const float* x, const float* dy, const float* mean,
                  const float* rstd, float* dweight, float* dbias, Row&& row, Finish&& finish) {
  constexpr std::int64_t kSamples = 64;  // samples that are summed in single precision
  const bool sums = dweight != nullptr || dbias != nullptr;
  const std::int64_t parameters = s.parameters(), size = s.row_size();
  const RowParts parts(s.samples, parameters);
  const std::size_t each =
      (static_cast<std::size_t>(2 * parameters) * (sizeof(double) + sizeof(float)) + 63) / 64 * 64;
  const Scratch scratch(sums ? each * static_cast<std::size_t>(parts.count()) : 1);
  const auto totals_of = [&](std::int64_t part) {
    return reinterpret_cast<double*>(scratch.as<char>() + static_cast<std::size_t>(part) * each);
  };
  parts.for_each([&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    double* const totals = totals_of(part);
    float* const block = reinterpret_cast<float*>(totals + 2 * parameters);
    if (sums) std::fill_n(totals, 2 * parameters, 0.0);
    for (std::int64_t first = begin; first < end; first += kSamples) {
      if (sums) std::fill_n(block, 2 * parameters, 0.0f);
      for (std::int64_t i = first; i < std::min(end, first + kSamples); ++i)
        for (std::int64_t group = 0; group < s.groups; ++group) {
          const std::int64_t r = i * s.groups + group;
          row(r);
          if (sums)
            add_to_parameters(size, x + r * size, dy + r * size, mean != nullptr ? mean[r] : 0.0f,
                              rstd[r], block + group * size, block + parameters + group * size);
        }
      for (std::int64_t j = 0; sums && j < 2 * parameters; ++j)
        totals[j] += static_cast<double>(block[j]);
    }
    finish();
  });
  if (!sums) return;
  parallel_for(0, parameters, 1 + kMinParallelWork / parts.count(),
               [&](std::int64_t begin, std::int64_t end) {
                 double* const all = totals_of(0);
                 for (std::int64_t k = 1; k < parts.count(); ++k)
                   for (const std::int64_t offset : {std::int64_t{0}, parameters})
                     for (std::int64_t j = offset + begin; j < offset + end; ++j)
                       all[j] += totals_of(k)[j];
                 for (std::int64_t j = begin; j < end; ++j) {
                   if (dweight != nullptr) dweight[j] = static_cast<float>(all[j]);
                   if (dbias != nullptr) dbias[j] = static_cast<float>(all[parameters + j]);
                 }
               });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
