// TensorFile: reads rows of the tensors of a file.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/readers/row_blocks.h"
#include "io/loaded_file.h"
#include "taper/core/tensor.h"

namespace taper::data::detail {

/// A row of a file, and its place in a batch.
struct RowPlace {
  std::int64_t row, place;
  std::int64_t example;  ///< index of the row in the dataset, for messages
};

/// The tensors of a file in the order of the keys of the dataset.
struct TensorFile {
  std::string path;
  std::vector<Tensor> tensors{};
  std::optional<io::LoadedFile> mapped{};            ///< if tensors are views of the file
  std::vector<std::shared_ptr<RowBlocks>> blocks{};  ///< of each tensor; null if not stored

  std::int64_t rows() const { return tensors[0].size(0); }
  /// Reads the tensors whose rows consist of separate elements of the file, as in Fortran order.
  /// Must be called once, before rows are read. Throws IoError, without the path.
  void read_scattered_rows();
  /// Returns true if rows of the tensor are read from the file, without the mapping.
  bool is_read_by_row(const Tensor& t) const;
  /// Stores blocks of tensors with small rows. Must be called once, before rows are read.
  void store_blocks(const std::shared_ptr<BlockBudget>& budget);
  /// Returns the rows of each tensor, whose places are 0, 1, ... Throws IoError with the path and
  /// the example if the file was truncated.
  std::vector<Tensor> select(std::span<const RowPlace> rows) const;
  /// Copies rows of each tensor to their places in `batch`. Throws as select().
  void copy_rows(std::span<const RowPlace> rows, const std::vector<Tensor>& batch) const;
};

/// Returns an uninitialized tensor of `count` rows of the shape and dtype of those of `t`.
Tensor empty_rows(const Tensor& t, std::int64_t count);

}  // namespace taper::data::detail
