#include "table.h"

#include <algorithm>

#include "characters.h"

namespace taper::cli {
namespace {

constexpr std::size_t kMaxNameWidth = 100, kMinNameWidth = 12, kGap = 2;

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t w : widths)
    if (w) sum += w + (sum ? kGap : 0);
  return sum;
}

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t w = width_of(row[i].text);
      widths[i] =
          std::max(widths[i], columns_[i].kind == Kind::name ? std::min(w, kMaxNameWidth) : w);
    }
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (widths[i]) widths[i] = std::max(widths[i], width_of(columns_[i].title));
  return widths;
}

void Table::fit(std::vector<std::size_t>& widths, std::size_t available) const {
  for (std::size_t i = widths.size(); i-- > 0 && total_width(widths) > available;)
    if (columns_[i].kind == Kind::picture) widths[i] = 0;
  const std::vector<std::size_t> original_widths = widths;
  while (total_width(widths) > available) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns_[i].kind == Kind::name && widths[i] > kMinNameWidth &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size()) {  // still too wide: shortening does not help
      widths = original_widths;
      return;
    }
    --widths[widest];
  }
}

void Table::print(Out& out, std::string_view indent) const {
  std::vector<std::size_t> widths = this->widths();
  if (out.terminal()) {
    const auto columns = static_cast<std::size_t>(out.columns());
    fit(widths, columns - std::min(columns, indent.size()));
  }
  const auto print_row = [&](const auto& cell_of) {
    std::string line(indent), gap;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!widths[i]) continue;
      const Cell cell = cell_of(i);
      const bool shorten_name = out.terminal() && columns_[i].kind == Kind::name;
      const std::string text = shorten_name ? shortened(cell.text, widths[i]) : cell.text;
      const std::string padding(widths[i] - std::min(widths[i], width_of(text)), ' ');
      const std::string painted = out.paint(cell.color, text);
      line += gap;
      gap = std::string(kGap, ' ');
      if (columns_[i].kind == Kind::number)
        line += padding + painted;
      else
        line += painted, gap += padding;  // spaces are deferred, so that none end the line
    }
    while (line.ends_with(' ')) line.pop_back();
    out.write(line + "\n");
  };
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& c) { return !c.title.empty(); }))
    print_row([&](std::size_t i) { return Cell(columns_[i].title, Color::bold); });
  for (const auto& row : rows_)
    print_row([&](std::size_t i) { return i < row.size() ? row[i] : Cell(""); });
}

}  // namespace taper::cli
