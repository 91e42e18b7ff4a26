// taper show: text output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show.h"
#include "table.h"
#include "tree.h"
#include "words.h"

namespace taper::cli {
namespace {

constexpr std::size_t kMaxLines = 40;  // limit on the lines of each list other than the tensors

Cell non_finite_cell(const TensorStats& s) {
  if (s.unread) return {std::string("not read: ") + s.unread, Color::yellow};
  std::string text;
  if (s.nans) text += format_count(static_cast<std::uint64_t>(s.nans), "NaN");
  if (s.infinities)
    text +=
        (text.empty() ? "" : ", ") + with_commas(static_cast<std::uint64_t>(s.infinities)) + " inf";
  return {text, Color::red};
}

/// Returns the name of a tensor, or a placeholder if the tensor is the whole value or its key is
/// empty.
Cell name_cell(const TensorItem& t) {
  if (t.path.empty()) return Cell("(root)");
  return t.name.empty() ? Cell("''") : Cell(printable(t.name));
}

Cell number(double v) { return std::isnan(v) ? Cell("-", Color::dim) : Cell(format_number(v)); }

void print_tensors(Out& out, const Shown& shown) {
  using Kind = Table::Kind;
  std::vector<Table::Column> columns = {
      {"Tensor", Kind::name}, {"Shape"}, {"Type"}, {"Size", Kind::number}};
  if (!shown.stats.empty())
    for (const char* title : {"Min", "Max", "Mean", "Std"})
      columns.push_back({title, Kind::number});
  if (!shown.stats.empty()) columns.push_back({"Histogram", Kind::picture});
  if (!shown.stats.empty()) columns.push_back({"Not finite"});
  columns.push_back({"Shares memory with", Kind::name});
  Table table(std::move(columns));
  for (std::size_t n = 0; n < shown.chosen.size(); ++n) {
    const TensorItem& t = shown.contents.tensors[shown.chosen[n]];
    std::vector<Cell> row = {
        name_cell(t), {t.shape.str(), Color::cyan}, t.dtype, format_bytes(t.bytes)};
    if (!shown.stats.empty()) {
      const TensorStats& s = shown.stats[n];
      for (const double v : {s.min, s.max, s.mean, s.std}) row.push_back(number(v));
      row.push_back({out.decoration() ? sparkline(s.histogram) : "", Color::cyan});
      row.push_back(non_finite_cell(s));
    }
    row.push_back(t.shares_with == TensorItem::npos
                      ? Cell("")
                      : Cell(name_cell(shown.contents.tensors[t.shares_with]).text, Color::dim));
    table.add(std::move(row));
  }
  if (!table.empty()) {
    out.print("\n");
    table.print(out);
  }
}

void print_totals(Out& out, const Shown& shown, const Branch& root) {
  if (shown.chosen.empty()) return;
  const Branch& top = skip_single_children(root);
  if (top.children.size() > 1 && shown.chosen.size() > top.children.size()) {
    Table table({{"Module", Table::Kind::name},
                 {"Tensors", Table::Kind::number},
                 {"Elements", Table::Kind::number},
                 {"Size", Table::Kind::number},
                 {"", Table::Kind::picture}});
    for (std::size_t i = 0; i < std::min(top.children.size(), kMaxLines); ++i) {
      const Branch& b = top.children[i];
      const double share = static_cast<double>(b.bytes) /
                           static_cast<double>(std::max<std::uint64_t>(1, root.bytes));
      table.add({printable(b.path),
                 with_commas(b.tensors),
                 with_commas(b.elements),
                 format_bytes(b.bytes),
                 {out.decoration() ? draw_bar(share, 24) : "", Color::cyan}});
    }
    out.print("\n");
    table.print(out);
    if (top.children.size() > kMaxLines)
      out.print("… and {} more modules\n", with_commas(top.children.size() - kMaxLines));
  }
  out.print("\n{}, {}, {}", out.paint(Color::bold, format_count(root.tensors, "tensor")),
            format_count(root.elements, "element"), format_bytes(root.bytes));
  // The sizes differ if views do not cover their storage, which a file stores completely, or if
  // elements are repeated.
  if (const std::uint64_t stored = stored_bytes(shown.contents, shown.chosen); stored != root.bytes)
    out.print(" in {} of storage", format_bytes(stored));
  out.print("\n");
}

/// Returns a list of the tensors directly in a module: "weight [64, 3, 7, 7], bias [64]".
std::string list_own_tensors(const Shown& shown, const Branch& b) {
  constexpr std::size_t kMax = 6;
  std::string text;
  for (std::size_t n = 0; n < std::min(b.own.size(), kMax); ++n) {
    const TensorItem& t = shown.contents.tensors[b.own[n]];
    text += (text.empty() ? "" : ", ") +
            printable(b.path.empty() ? t.name : t.name.substr(b.path.size() + 1)) + " " +
            t.shape.str();
  }
  return b.own.size() > kMax ? text + fmt::format(", … {} more", b.own.size() - kMax) : text;
}

void add_branch(Table& table, const Shown& shown, const Branch& b, const std::string& indent) {
  for (std::size_t i = 0; i < b.children.size(); ++i) {
    const Branch& c = b.children[i];
    const bool last = i + 1 == b.children.size();
    table.add({indent + (last ? "└─ " : "├─ ") + printable(c.name),
               with_commas(c.elements),
               format_bytes(c.bytes),
               {list_own_tensors(shown, c), Color::dim}});
    add_branch(table, shown, c, indent + (last ? "   " : "│  "));
  }
}

void print_tree(Out& out, const Shown& shown, const Branch& root) {
  Table table({{"Module"},
               {"Elements", Table::Kind::number},
               {"Size", Table::Kind::number},
               {"Tensors", Table::Kind::name}});
  table.add({"(all)",
             with_commas(root.elements),
             format_bytes(root.bytes),
             {list_own_tensors(shown, root), Color::dim}});
  add_branch(table, shown, root, "");
  out.print("\n");
  table.print(out);
}

void print_modules(Out& out, const Contents& contents) {
  if (contents.modules.empty()) return;
  out.print("\n{}\n", out.paint(Color::bold, "Whole modules"));
  Table table({{"", Table::Kind::name}, {"", Table::Kind::name}, {"", Table::Kind::name}});
  for (std::size_t i = 0; i < std::min(contents.modules.size(), kMaxLines * 5); ++i) {
    const ModuleItem& m = contents.modules[i];
    const std::string hooks = hooks_text(m);
    table.add(
        {m.name.empty() ? Cell("(root)", Color::dim) : Cell(printable(m.name)),
         printable(m.class_name) + "(" + printable(m.arguments, 80) + ")",
         hooks.empty() ? Cell("") : Cell("hooks, never run: " + printable(hooks), Color::yellow)});
  }
  table.print(out, "  ");
  if (contents.modules.size() > kMaxLines * 5)
    out.print("  … and {} more\n", with_commas(contents.modules.size() - kMaxLines * 5));
}

void print_other_values(Out& out, const Contents& contents) {
  if (!contents.others.empty()) {
    out.print("\n{}\n", out.paint(Color::bold, "Other values"));
    Table table({{"", Table::Kind::name}, {"", Table::Kind::name}});
    for (std::size_t i = 0; i < std::min(contents.others.size(), kMaxLines); ++i) {
      const OtherItem& v = contents.others[i];
      table.add({v.name.empty() ? "(root)" : printable(v.name), brief(v.value)});
    }
    table.print(out, "  ");
    if (contents.others.size() > kMaxLines)
      out.print("  … and {} more (--json lists all)\n",
                with_commas(contents.others.size() - kMaxLines));
  }
  if (!contents.opaques.empty()) {
    out.print("\n{}\n", out.paint(Color::bold, "Objects of unknown classes"));
    Table table({{"", Table::Kind::name}, {"", Table::Kind::name}});
    for (std::size_t i = 0; i < std::min(contents.opaques.size(), kMaxLines); ++i) {
      const OpaqueItem& o = contents.opaques[i];
      table.add({o.name.empty() ? "(root)" : printable(o.name),
                 {printable(o.class_name), Color::yellow}});
    }
    table.print(out, "  ");
    if (contents.opaques.size() > kMaxLines)
      out.print("  … and {} more (--json lists all)\n",
                with_commas(contents.opaques.size() - kMaxLines));
  }
}

}  // namespace

std::string hooks_text(const ModuleItem& m) {
  std::string text;
  for (const auto& [kind, count] : m.hooks) {
    std::string label = kind.starts_with("_") ? kind.substr(1) : kind;
    std::replace(label.begin(), label.end(), '_', ' ');
    if (count == 1 && label.ends_with("s")) label.pop_back();
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + label;
  }
  std::string names;
  for (const std::string& name : m.hook_names) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? text : text + " (" + names + ")";
}

void print_heading(Out& out, const Source& source) {
  out.print("{}  {}, {}", out.paint(Color::bold, printable(source.file)),
            taper::name_of(source.kind), format_bytes(source.bytes));
  if (!source.shards.empty()) out.print(" in {}", format_count(source.shards.size(), "shard"));
  out.print("\n");
}

void print_show(Out& out, const Shown& shown, bool as_tree) {
  print_heading(out, shown.source);
  if (!shown.contents.metadata.empty()) {
    Table table({{"", Table::Kind::name}, {"", Table::Kind::name}});
    for (const auto& [key, text] : shown.contents.metadata)
      table.add({printable(key), printable(text)});
    out.print("\n{}\n", out.paint(Color::bold, "Metadata"));
    table.print(out, "  ");
  }
  const Branch root = build_tree(shown.contents, shown.chosen);
  if (as_tree && !shown.chosen.empty()) {
    print_tree(out, shown, root);
  } else {
    print_tensors(out, shown);
    print_totals(out, shown, root);
  }
  if (shown.chosen.empty()) out.print("\nno tensors\n");
  if (!shown.pattern.empty()) return;
  print_modules(out, shown.contents);
  print_other_values(out, shown.contents);
  if (!shown.contents.complete)
    out.print("\n{}\n", out.paint(Color::yellow,
                                  "The list is incomplete: the file contains too many values."));
}

}  // namespace taper::cli
