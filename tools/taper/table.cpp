#include "table.h"

#include <algorithm>

#include "words.h"

namespace command {

void Table::print(Out& out, std::string_view indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i].text));
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (widths[i]) widths[i] = std::max(widths[i], width_of(columns_[i].title));

  const auto print_row = [&](const auto& cell_of) {
    std::string line(indent), gap;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!widths[i]) continue;
      const Cell cell = cell_of(i);
      const std::string room(widths[i] - std::min(widths[i], width_of(cell.text)), ' ');
      const std::string painted = out.paint(cell.colour, cell.text);
      line += gap;
      gap = "  ";
      if (columns_[i].right)
        line += room + painted;
      else
        line += painted, gap += room;  // no spaces at the end of a line
    }
    while (line.ends_with(' ')) line.pop_back();
    out.write(line + "\n");
  };
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& c) { return !c.title.empty(); }))
    print_row([&](std::size_t i) { return Cell(columns_[i].title, Colour::bold); });
  for (const auto& row : rows_)
    print_row([&](std::size_t i) { return i < row.size() ? row[i] : Cell(""); });
}

}  // namespace command
