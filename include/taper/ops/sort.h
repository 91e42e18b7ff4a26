// Sorting, searching and counting.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;
struct UniqueResult;

namespace ops {
/// Tensor methods that sort and count. NaN is greater than all numbers. Methods without a comment
/// are documented as the free functions below.
struct SortMethods {
  [[nodiscard]] std::pair<Tensor, Tensor> sort(IntArg dim = -1, bool descending = false,
                                               bool stable = false) const;
  Tensor argsort(IntArg dim = -1, bool descending = false, bool stable = false) const;
  Tensor msort() const;
  [[nodiscard]] std::pair<Tensor, Tensor> topk(IntArg k, IntArg dim = -1, bool largest = true,
                                               bool sorted = true) const;
  [[nodiscard]] std::pair<Tensor, Tensor> kthvalue(IntArg k, IntArg dim = -1,
                                                   bool keepdim = false) const;
  [[nodiscard]] std::pair<Tensor, Tensor> mode(IntArg dim = -1, bool keepdim = false) const;

  [[nodiscard]] UniqueResult unique(bool sorted = true, bool return_inverse = false,
                                    bool return_counts = false,
                                    std::optional<IntArg> dim = {}) const;
  [[nodiscard]] UniqueResult unique_consecutive(bool return_inverse = false,
                                                bool return_counts = false,
                                                std::optional<IntArg> dim = {}) const;

  Tensor bincount(OptionalTensorRef weights = {}, IntArg minlength = 0) const;
  Tensor histc(IntArg bins = 100, const Scalar& min = 0, const Scalar& max = 0) const;
  [[nodiscard]] std::pair<Tensor, Tensor> histogram(const Tensor& bins,
                                                    OptionalTensorRef weight = {},
                                                    bool density = false) const;
  [[nodiscard]] std::pair<Tensor, Tensor> histogram(
      IntArg bins, std::optional<std::pair<double, double>> range = {},
      OptionalTensorRef weight = {}, bool density = false) const;
};
}  // namespace ops

// Sorting. Dimensions may be negative (from the end); IndexError is thrown if one is out of range.
// NaN is greater than all numbers.

/// Returns {values, indices}: the elements sorted along `dim` in ascending or descending order, and
/// their positions in the input. Equal elements retain their order, as with PyTorch's
/// `stable=True`. PyTorch: torch.sort.
[[nodiscard]] std::pair<Tensor, Tensor> sort(const Tensor& input, IntArg dim = -1,
                                             bool descending = false, bool stable = false);
/// Returns the indices that sort the input along `dim`, as i64. PyTorch: torch.argsort.
Tensor argsort(const Tensor& input, IntArg dim = -1, bool descending = false, bool stable = false);
/// Returns the input sorted along dimension 0 in ascending order. PyTorch: torch.msort.
Tensor msort(const Tensor& input);
/// Returns {values, indices}: the `k` largest (smallest) elements along `dim`, in descending
/// (ascending) order, and their positions. If `sorted` is false, their order is unspecified. Throws
/// ValueError if `k` is negative or exceeds the size of the dimension. PyTorch: torch.topk.
[[nodiscard]] std::pair<Tensor, Tensor> topk(const Tensor& input, IntArg k, IntArg dim = -1,
                                             bool largest = true, bool sorted = true);
/// Returns {values, indices}: the k-th smallest element along `dim`, counted from 1, and its
/// position. Throws ValueError if `k` is less than 1 or exceeds the size of the dimension.
/// PyTorch: torch.kthvalue.
[[nodiscard]] std::pair<Tensor, Tensor> kthvalue(const Tensor& input, IntArg k, IntArg dim = -1,
                                                 bool keepdim = false);
/// Returns {values, indices}: the most frequent element along `dim`, the smallest if there are
/// several, and the position of its last occurrence. Throws IndexError for an empty dimension.
/// PyTorch: torch.mode.
[[nodiscard]] std::pair<Tensor, Tensor> mode(const Tensor& input, IntArg dim = -1,
                                             bool keepdim = false);

// Unique elements.

/// Returns the unique elements of the input, or its unique slices along `dim`, in ascending order.
/// If requested, `inverse_indices` holds the position in the output of each element (slice) of the
/// input, and `counts` the number of occurrences; otherwise they are undefined. The results are not
/// differentiable. Throws NotImplementedError for a tensor on meta because the shape depends on the
/// data. PyTorch: torch.unique, whose result is always sorted on the CPU.
[[nodiscard]] UniqueResult unique(const Tensor& input, bool sorted = true,
                                  bool return_inverse = false, bool return_counts = false,
                                  std::optional<IntArg> dim = {});
/// As `unique`, but eliminates only repetitions in consecutive positions and retains the order.
/// PyTorch: torch.unique_consecutive.
[[nodiscard]] UniqueResult unique_consecutive(const Tensor& input, bool return_inverse = false,
                                              bool return_counts = false,
                                              std::optional<IntArg> dim = {});

// Searching.

/// Returns, for each value, the index at which it would be inserted into the sequence, sorted along
/// its last dimension: the first suitable index, or the last one if `right` is set. The leading
/// dimensions of `sorted_sequence` `(..., N)` and `values` `(..., M)` are equal, or the sequence is
/// a vector. `side` "left" or "right" is an alternative to `right`. `sorter` holds the indices that
/// sort the sequence. The result has the shape of the values and dtype i64, or i32 if `out_int32`
/// is set. Throws ShapeError if shapes do not match, ValueError for another `side`.
/// PyTorch: torch.searchsorted.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32 = false,
                    bool right = false, std::optional<std::string_view> side = {},
                    OptionalTensorRef sorter = {});
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& value, bool out_int32 = false,
                    bool right = false, std::optional<std::string_view> side = {},
                    OptionalTensorRef sorter = {});
/// Returns the index of the bucket of each element: i where boundaries[i-1] < x <= boundaries[i],
/// or boundaries[i-1] <= x < boundaries[i] if `right` is set. `boundaries` is a vector in ascending
/// order. PyTorch: torch.bucketize.
Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
Tensor bucketize(const Scalar& value, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
/// Returns, as bool, whether each element is among `test_elements`, or not if `invert` is set.
/// `assume_unique` has no effect on the result. PyTorch: torch.isin.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

// Counting.

/// Returns the number of occurrences of each value of a vector of non-negative integers, as i64, or
/// the sums of `weights` at these positions. The result has at least `minlength` elements. Throws
/// ValueError for a negative element, ShapeError unless the input is a vector and the weights have
/// its length. PyTorch: torch.bincount.
Tensor bincount(const Tensor& input, OptionalTensorRef weights = {}, IntArg minlength = 0);
/// Returns the histogram of the elements with `bins` bins of equal width between `min` and `max`,
/// or between the least and greatest element if both are 0. Other elements and NaN are ignored.
/// Throws ValueError if `bins` is not positive, or if the bounds are not finite or min > max.
/// PyTorch: torch.histc.
Tensor histc(const Tensor& input, IntArg bins = 100, const Scalar& min = 0, const Scalar& max = 0);
/// Returns {histogram, bin edges} of all elements for the given ascending edges, or for `bins` bins
/// of equal width in `range`, by default from the least to the greatest element. The last bin
/// includes its right edge. An element counts 1 or its `weight`; if `density` is set, the histogram
/// is normalized so that its integral is 1. PyTorch: torch.histogram.
[[nodiscard]] std::pair<Tensor, Tensor> histogram(const Tensor& input, const Tensor& bins,
                                                  OptionalTensorRef weight = {},
                                                  bool density = false);
[[nodiscard]] std::pair<Tensor, Tensor> histogram(
    const Tensor& input, IntArg bins, std::optional<std::pair<double, double>> range = {},
    OptionalTensorRef weight = {}, bool density = false);
/// Returns {histogram, bin edges of each dimension} of points with D coordinates, the last
/// dimension of the input `(..., D)`, for the given edges or numbers of bins per dimension. `range`
/// holds the least and greatest coordinate of each dimension. PyTorch: torch.histogramdd.
[[nodiscard]] std::pair<Tensor, std::vector<Tensor>> histogramdd(const Tensor& input,
                                                                 std::span<const Tensor> bins,
                                                                 OptionalTensorRef weight = {},
                                                                 bool density = false);
[[nodiscard]] std::pair<Tensor, std::vector<Tensor>> histogramdd(const Tensor& input,
                                                                 const Shape& bins,
                                                                 std::span<const double> range = {},
                                                                 OptionalTensorRef weight = {},
                                                                 bool density = false);

}  // namespace taper
