#include "taper/data/dataset.h"

#include "core/check.h"
#include "taper/core/factory.h"

namespace taper::data::detail {

void check_equal_sizes(std::span<const Tensor> tensors) {
  std::string sizes;
  bool equal = true;
  for (const Tensor& t : tensors) {
    if (t.dim() == 0) fail<ValueError>("TensorDataset: tensors must have at least one dimension");
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(t.size(0));
    equal &= t.size(0) == tensors[0].size(0);
  }
  if (!equal)
    fail<ValueError>(
        "TensorDataset: Size mismatch between tensors: got {} examples, expected equal numbers",
        sizes);
}

std::int64_t wrap_index(std::int64_t i, std::int64_t size) {
  const auto at = taper::wrap_index(i, size);
  if (!at) fail<IndexError>("index {} is out of range for a dataset of {} examples", i, size);
  return *at;
}

Tensor select_rows(const Tensor& t, std::span<const std::int64_t> indices) {
  std::vector<std::int64_t> rows;
  rows.reserve(indices.size());
  for (const std::int64_t i : indices) rows.push_back(wrap_index(i, t.size(0)));
  return t.index_select(0, tensor(rows).to(t.device()));
}

}  // namespace taper::data::detail
