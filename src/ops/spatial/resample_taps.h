// Filters of resampling: the weights of the input elements that contribute to each output element.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace taper::resample {

enum class Filter : std::uint8_t { area, nearest, nearest_exact, linear, cubic, lanczos };
std::optional<Filter> find_filter(std::string_view mode);

/// Weights of resampling along one dimension: output o is the sum over k in [begin[o], begin[o +
/// 1]) of weight[k] * input[index[k]].
struct Taps {
  std::vector<std::int64_t> begin{0}, index{};
  std::vector<double> weight{};
  /// Appends an element to the current output.
  void add(std::int64_t i, double w) { index.push_back(i), weight.push_back(w); }
  /// Completes the current output.
  void finish() { begin.push_back(static_cast<std::int64_t>(index.size())); }
};

struct Request {
  Filter filter = Filter::nearest;
  std::int64_t in = 1, out = 1;  ///< sizes of input and output
  bool align_corners = false, antialias = false;
  std::optional<double> scale{};  ///< factor of the size; default: out / in
  /// Nearest: an unchanged size is copied and a doubled one repeats each element, whatever `scale`.
  bool ignores_scale_of_copies = false;
};

/// Returns the weights. Positions are computed in type T (float or double), as in PyTorch, so that
/// they are rounded to the same elements.
template <class T> Taps make_taps(const Request& request);

/// Rounds the weights to 16-bit integers, as PyTorch does for u8, and adds up those of an element
/// that an output refers to repeatedly. Returns the number of their fractional bits.
int quantize(Taps& taps);

/// Returns the weights of the adjoint, from outputs to the `in` inputs.
Taps transpose(const Taps& taps, std::int64_t in);

}  // namespace taper::resample
