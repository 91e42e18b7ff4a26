// unique and unique_consecutive: boundaries of runs of equal elements or slices.
#include <limits>
#include <tuple>

#include "core/dtype_table.h"
#include "ops/forms.h"
#include "ops/sort/sort.h"
#include "ops/sort/unique.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

void check_data(const Tensor& x, std::string_view op) {
  if (x.device().is_meta())
    fail<NotImplementedError>("{}: the output shape depends on data: got a meta tensor", op);
}

struct Requested {
  bool inverse, counts;
};

/// Returns the result for `items` along dimension 0, in which `is_first` marks the first item of
/// each run, and whose positions in the input are `order`; undefined: their own.
UniqueResult runs_of(const Tensor& items, const Tensor& is_first, const Tensor& order,
                     Requested requested) {
  UniqueResult result;
  const Tensor starts = is_first.nonzero().reshape(-1);
  result.output = items.index_select(0, starts);
  const std::int64_t n = items.size(0);
  const TensorOptions indices{.dtype = DType::i64, .device = items.device()};
  if (requested.inverse) {
    const Tensor run = is_first.cumsum(0) - 1;
    result.inverse_indices = order.defined() ? empty({n}, indices).scatter_(0, order, run) : run;
  }
  if (requested.counts) result.counts = diff(starts, 1, 0, {}, full({1}, n, indices));
  return result;
}

/// Returns a mask of the first items of runs of equal items. differ[i] is true if items i and i + 1
/// differ.
Tensor first_of_runs(const Tensor& differ) {
  return cat({ones({1}, {.dtype = DType::bool_, .device = differ.device()}), differ});
}

UniqueResult empty_result(const Tensor& output, const Shape& inverse, Requested requested) {
  UniqueResult result;
  const TensorOptions indices{.dtype = DType::i64, .device = output.device()};
  result.output = output;
  if (requested.inverse) result.inverse_indices = empty(inverse, indices);
  if (requested.counts) result.counts = empty({0}, indices);
  return result;
}

/// Returns the sorted distinct elements of a vector on the CPU, or the first elements of its runs.
UniqueResult elements_on_cpu(const Tensor& items, bool sorts, Requested requested) {
  UniqueResult result;
  const std::int64_t n = items.numel();
  visit_dtype(items.dtype(), [&]<class T>(T) {
    const auto allocate = [&](std::int64_t count) {
      result.output = empty({count}, {.dtype = items.dtype()});
      sorting::UniqueOutputs out{.values = result.output.mutable_data_ptr<T>()};
      if (requested.inverse) {
        result.inverse_indices = empty({n}, {.dtype = DType::i64});
        out.inverse = result.inverse_indices.mutable_data_ptr<std::int64_t>();
      }
      if (requested.counts) {
        result.counts = empty({count}, {.dtype = DType::i64});
        out.counts = result.counts.mutable_data_ptr<std::int64_t>();
      }
      return out;
    };
    if (sorts)
      sorting::unique_elements(items.const_data_ptr<T>(), items.dtype(), n, requested.inverse,
                               allocate);
    else
      sorting::unique_consecutive_elements(items.const_data_ptr<T>(), items.dtype(), n, allocate);
  });
  return result;
}

UniqueResult unique_elements(const Tensor& x, bool sorts, Requested requested) {
  Tensor items = x.detach().reshape(-1), order;
  const std::int64_t n = items.numel();
  if (n == 0) return empty_result(items.clone(), x.shape(), requested);
  UniqueResult result;
  if (x.device().is_cpu() && (!sorts || n <= std::numeric_limits<std::uint32_t>::max())) {
    result = elements_on_cpu(items.contiguous(), sorts, requested);
  } else {
    if (sorts) std::tie(items, order) = sort(items);
    const Tensor differ = items.slice(0, 1, {}) != items.slice(0, {}, n - 1);
    result = runs_of(items, first_of_runs(differ), order, requested);
  }
  if (requested.inverse) result.inverse_indices = result.inverse_indices.reshape(x.shape());
  return result;
}

UniqueResult unique_slices(const Tensor& x, std::int64_t dim, bool sorts, Requested requested,
                           std::string_view op) {
  if (x.dim() == 0)
    fail<IndexError>("{}: Dimension specified as {} but tensor has no dimensions", op, dim);
  const std::int64_t d = wrap_dim(dim, x.shape().size(), op);
  const std::int64_t n = x.size(d);
  for (std::int64_t e = 0; e < x.dim(); ++e)
    if (e != d && x.size(e) == 0)
      fail<ShapeError>(
          "{}: There are 0 sized dimensions, and they aren't selected, so unique cannot be "
          "applied: got shape {}, dim {}",
          op, x.shape(), dim);
  const Tensor slices = x.detach().transpose(0, d);
  if (n == 0) return empty_result(x.detach().clone(), {0}, requested);
  Tensor rows = slices.reshape({n, x.numel() / n}), order;
  if (sorts) {
    order = run(LexSort{}, rows);
    rows = rows.index_select(0, order);
  }
  const Tensor differ = (rows.slice(0, 1, {}) != rows.slice(0, {}, n - 1)).any(1);
  UniqueResult result = runs_of(rows, first_of_runs(differ), order, requested);
  Shape shape = slices.shape();
  shape[0] = result.output.size(0);
  result.output = result.output.reshape(shape).transpose(0, d).contiguous();
  return result;
}

UniqueResult find_unique(const Tensor& x, bool sorts, Requested requested,
                         std::optional<IntArg> dim, std::string_view op) {
  NoGrad guard;
  check_data(x, op);
  return dim ? unique_slices(x, *dim, sorts, requested, op) : unique_elements(x, sorts, requested);
}

}  // namespace

UniqueResult unique(const Tensor& x, bool, bool return_inverse, bool return_counts,
                    std::optional<IntArg> dim) {
  return find_unique(x, true, {return_inverse, return_counts}, dim, "unique");
}
UniqueResult unique_consecutive(const Tensor& x, bool return_inverse, bool return_counts,
                                std::optional<IntArg> dim) {
  return find_unique(x, false, {return_inverse, return_counts}, dim, "unique_consecutive");
}

namespace ops {
UniqueResult SortMethods::unique(bool sorted, bool return_inverse, bool return_counts,
                                 std::optional<IntArg> dim) const {
  return taper::unique(self_of(this), sorted, return_inverse, return_counts, dim);
}
UniqueResult SortMethods::unique_consecutive(bool return_inverse, bool return_counts,
                                             std::optional<IntArg> dim) const {
  return taper::unique_consecutive(self_of(this), return_inverse, return_counts, dim);
}
}  // namespace ops

}  // namespace taper
