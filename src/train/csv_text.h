// Rows of CSV files.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/value.h"

namespace taper::train {

/// Returns a cell: `text`, quoted if it contains a separator, a quote or a line end.
std::string csv_cell(std::string_view text);
/// Returns the cell of a number, bool, string, tensor with one element, or None (empty). Throws
/// TypeError, which names the column, for other values.
std::string csv_cell(const std::string& column, const Value& value);
/// Returns the size of the first row of `text` with its line end; 0 if the row is incomplete. Line
/// ends within quotes belong to a cell.
std::size_t csv_row_size(std::string_view text);
/// Returns the cells of a row.
std::vector<std::string> csv_cells(std::string_view row);

}  // namespace taper::train
