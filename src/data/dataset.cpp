#include "taper/data/dataset.h"

#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper::data::detail {

void check_equal_sizes(std::span<const Tensor> tensors) {
  std::string sizes;
  bool equal = true;
  for (const Tensor& t : tensors) {
    if (t.dim() == 0) throw ValueError("TensorDataset: tensors must have at least one dimension");
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(t.size(0));
    equal &= t.size(0) == tensors[0].size(0);
  }
  if (!equal)
    throw ValueError("TensorDataset: Size mismatch between tensors: got " + sizes +
                     " examples, expected equal numbers");
}

std::int64_t wrap_index(std::int64_t i, std::int64_t size) {
  if (i < -size || i >= size)
    throw IndexError("index " + std::to_string(i) + " is out of range for a dataset of " +
                     std::to_string(size) + " examples");
  return i < 0 ? i + size : i;
}

Tensor rows_of(const Tensor& t, std::span<const std::int64_t> indices) {
  std::vector<std::int64_t> rows;
  rows.reserve(indices.size());
  for (const std::int64_t i : indices) rows.push_back(wrap_index(i, t.size(0)));
  return t.index_select(0, tensor(rows).to(t.device()));
}

}  // namespace taper::data::detail
