// Aligned text tables for terminal output.
#pragma once
#include <string>
#include <vector>

#include "out.h"

namespace taper::cli {

struct Cell {
  Cell(std::string t, Color c = Color::none) : text(std::move(t)), color(c) {}
  Cell(const char* t, Color c = Color::none) : text(t), color(c) {}
  std::string text;
  Color color;
};

/// Rows under a header. Columns are as wide as their widest cell; empty columns are omitted. On a
/// narrow terminal, pictures are omitted first, then names are shortened in the middle. If the
/// output is not a terminal, names are never shortened, and very long names do not widen their
/// column.
class Table {
 public:
  enum class Kind : unsigned char {
    text,
    number,  ///< right-aligned
    name,    ///< shortened in the middle on a narrow terminal
    picture  ///< omitted on a narrow terminal
  };
  struct Column {
    std::string title;
    Kind kind = Kind::text;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  void print(Out& out, std::string_view indent = "") const;

 private:
  std::vector<std::size_t> widths() const;
  void fit(std::vector<std::size_t>& widths, std::size_t available) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace taper::cli
