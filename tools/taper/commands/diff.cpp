// taper diff: compares two checkpoints of any formats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compare.h"
#include "json.h"
#include "options.h"
#include "source.h"
#include "table.h"
#include "words.h"

namespace taper::cli {
namespace {

struct DiffOptions {
  std::string first, second, key, first_key, second_key;
  taper::Tolerance tolerance{};
  std::size_t limit = 50;
};

struct DiffInput {
  const Source &first, &second;
  const Contents &a, &b;
  const Comparison& found;
};

std::string describe_tensor(const TensorItem& t) { return t.dtype + " " + t.shape.str(); }

std::string index_text(const taper::Shape& at) { return at.empty() ? "" : at.str(); }

void print_more(Out& out, std::size_t left) {
  if (left) out.print("  … and {} more (--limit 0 shows all)\n", with_commas(left));
}

/// Returns the number of lines to print of `n` lines. A limit of 0 means all.
std::size_t num_shown(std::size_t n, std::size_t limit) {
  return limit == 0 ? n : std::min(n, limit);
}

void print_changed(Out& out, const DiffInput& s, std::size_t limit) {
  if (s.found.changed.empty()) return;
  double max = 0;
  for (const auto& c : s.found.changed)
    if (std::isfinite(c.distance.max_abs_diff)) max = std::max(max, c.distance.max_abs_diff);
  out.print("\n{}\n", out.paint(Color::bold, "Different"));
  using Kind = Table::Kind;
  Table table({{"Tensor", Kind::name},
               {"Max diff", Kind::number},
               {"", Kind::picture},
               {"Index"},
               {"First", Kind::number},
               {"Second", Kind::number},
               {"Mean", Kind::number},
               {"Elements"},
               {"Shape or type"}});
  const std::size_t count = num_shown(s.found.changed.size(), limit);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& c = s.found.changed[i];
    const TensorItem &x = s.a.tensors[c.first], &y = s.b.tensors[c.second];
    const taper::ElementDifference& d = c.distance;
    std::vector<Cell> row = {printable(x.name)};
    if (d.num_different) {
      const double share = std::isfinite(d.max_abs_diff) ? d.max_abs_diff / max : 1;
      row.push_back({format_number(d.max_abs_diff), Color::red});
      row.push_back({out.decoration() ? draw_bar(max > 0 ? share : 1, 10) : "", Color::red});
      for (const std::string& text : {index_text(d.index), format_number(d.first),
                                      format_number(d.second), format_number(d.mean)})
        row.push_back(text);
      row.push_back(with_commas(static_cast<std::uint64_t>(d.num_different)) + " of " +
                    with_commas(static_cast<std::uint64_t>(d.elements)));
    } else {
      row.resize(7, Cell(""));
      row.emplace_back(d.compared && !c.shape
                           ? "0 of " + with_commas(static_cast<std::uint64_t>(d.elements))
                           : "");
    }
    if (c.shape && c.dtype)
      row.push_back({describe_tensor(x) + " | " + describe_tensor(y), Color::yellow});
    else if (c.shape)
      row.push_back({x.shape.str() + " | " + y.shape.str(), Color::yellow});
    else if (c.dtype)
      row.push_back({x.dtype + " | " + y.dtype, Color::yellow});
    else if (!d.compared)
      row.push_back({"not compared: overlapping elements", Color::yellow});
    table.add(std::move(row));
  }
  table.print(out, "  ");
  print_more(out, s.found.changed.size() - count);
}

void print_only(Out& out, const Contents& c, const std::vector<std::size_t>& items,
                const std::string& title, Color color, const char* sign, std::size_t limit) {
  if (items.empty()) return;
  out.print("\n{}\n", out.paint(Color::bold, title));
  Table table({{""}, {"", Table::Kind::name}, {""}});
  const std::size_t count = num_shown(items.size(), limit);
  for (std::size_t i = 0; i < count; ++i)
    table.add({{sign, color},
               {printable(c.tensors[items[i]].name), color},
               describe_tensor(c.tensors[items[i]])});
  table.print(out, "  ");
  print_more(out, items.size() - count);
}

/// Renames that replace the same prefix with the same new prefix.
struct RenameGroup {
  std::string from, to;  ///< prefixes such as "layer4.", or whole names
  std::size_t count = 0, same_values = 0;
};

std::vector<RenameGroup> group_renames(const DiffInput& s) {
  std::vector<RenameGroup> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const auto& r : s.found.renames) {
    const std::string &from = s.a.tensors[r.first].name, &to = s.b.tensors[r.second].name;
    // `cut` is the length of the longest common suffix that begins after a dot.
    std::size_t same = 0, cut = 0;
    while (same < from.size() && same < to.size() &&
           from[from.size() - 1 - same] == to[to.size() - 1 - same])
      if (from[from.size() - 1 - same++] == '.') cut = same - 1;
    if (same == from.size() && to[to.size() - 1 - same] == '.') cut = same;
    if (same == to.size() && from[from.size() - 1 - same] == '.') cut = same;
    const std::pair names(from.substr(0, from.size() - cut), to.substr(0, to.size() - cut));
    const auto [found, is_new] = places.emplace(names, groups.size());
    if (is_new) groups.push_back({names.first, names.second});
    RenameGroup& g = groups[found->second];
    ++g.count, g.same_values += r.same_values;
  }
  return groups;
}

void print_renames(Out& out, const DiffInput& s, std::size_t limit) {
  if (s.found.renames.empty()) return;
  out.print("\n{}\n", out.paint(Color::bold, "Probably renamed"));
  Table table(
      {{"", Table::Kind::name}, {""}, {"", Table::Kind::name}, {"", Table::Kind::number}, {""}});
  const std::vector<RenameGroup> groups = group_renames(s);
  const std::size_t count = num_shown(groups.size(), limit);
  const auto prefix_pattern = [](const std::string& name) {
    return printable(name) + (name.empty() || name.ends_with('.') ? "*" : "");
  };
  for (std::size_t i = 0; i < count; ++i) {
    const RenameGroup& g = groups[i];
    table.add({prefix_pattern(g.from), "->", prefix_pattern(g.to), format_count(g.count, "tensor"),
               g.same_values == g.count ? Cell("same values", Color::green)
               : g.same_values == 0
                   ? Cell("same shapes, different values", Color::dim)
                   : Cell(with_commas(g.same_values) + " with the same values", Color::dim)});
  }
  table.print(out, "  ");
  print_more(out, groups.size() - count);
}

void print_values(Out& out, const DiffInput& s, std::size_t limit) {
  if (s.found.values.empty()) return;
  out.print("\n{}\n", out.paint(Color::bold, "Other values"));
  Table table({{"", Table::Kind::name}, {"", Table::Kind::name}, {""}, {"", Table::Kind::name}});
  const std::size_t count = num_shown(s.found.values.size(), limit);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& v = s.found.values[i];
    table.add({v.name.empty() ? "(root)" : printable(v.name),
               v.first.empty() ? Cell("(absent)", Color::dim) : Cell(printable(v.first)), "|",
               v.second.empty() ? Cell("(absent)", Color::dim) : Cell(printable(v.second))});
  }
  table.print(out, "  ");
  print_more(out, s.found.values.size() - count);
}

/// Returns a hint to use --key-a or --key-b if one checkpoint contains the names of the other in a
/// nested dict, otherwise an empty string.
std::string make_hint(const DiffInput& s) {
  if (s.found.common || s.a.tensors.empty() || s.b.tensors.empty()) return "";
  for (const bool first : {true, false}) {
    const Contents &outer = first ? s.a : s.b, &inner = first ? s.b : s.a;
    for (const TensorItem& t : outer.tensors)
      if (t.path.size() > 1 && t.path.back() == inner.tensors[0].name) {
        std::string key = t.name.substr(0, t.name.size() - t.path.back().size() - 1);
        return fmt::format("No common names. Use --key-{} {} to compare that part of {}.",
                           first ? "a" : "b", printable(key),
                           printable(first ? s.first.path : s.second.path));
      }
  }
  return "";
}

/// Returns the tensors that exist on one side only, without probable renames.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> unmatched_tensors(
    const Comparison& f) {
  std::set<std::size_t> from, to;
  for (const auto& r : f.renames) from.insert(r.first), to.insert(r.second);
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> left;
  for (const std::size_t i : f.only_first)
    if (!from.contains(i)) left.first.push_back(i);
  for (const std::size_t i : f.only_second)
    if (!to.contains(i)) left.second.push_back(i);
  return left;
}

void print_text(Out& out, const DiffInput& s, const DiffOptions& o) {
  const Comparison& f = s.found;
  if (f.empty()) {
    const std::size_t others = s.a.others.size();
    out.print("{}: {}{} {}{}\n", out.paint(Color::green, "no difference"),
              format_count(f.common, "tensor"),
              others ? " and " + format_count(others, "other value") : "",
              f.common + others == 1 ? "agrees" : "agree",
              o.tolerance.rtol > 0 || o.tolerance.atol > 0 ? " within the tolerance" : "");
    return;
  }
  out.print("A  {}  {}, {}\nB  {}  {}, {}\n", printable(s.first.file), taper::name_of(s.first.kind),
            format_count(s.a.tensors.size(), "tensor"), printable(s.second.file),
            taper::name_of(s.second.kind), format_count(s.b.tensors.size(), "tensor"));
  const auto [here, there] = unmatched_tensors(f);
  print_changed(out, s, o.limit);
  print_only(out, s.a, here, "Only in A", Color::red, "-", o.limit);
  print_only(out, s.b, there, "Only in B", Color::green, "+", o.limit);
  print_renames(out, s, o.limit);
  print_values(out, s, o.limit);
  if (f.common)
    out.print("\n{} of {} differ", with_commas(f.common - f.equal),
              format_count(f.common, "common tensor"));
  else
    out.print("\nno common tensors");
  if (!here.empty()) out.print(", {} only in A", with_commas(here.size()));
  if (!there.empty()) out.print(", {} only in B", with_commas(there.size()));
  if (!f.renames.empty()) out.print(", {} probably renamed", with_commas(f.renames.size()));
  if (!f.values.empty())
    out.print("; {} other {}", with_commas(f.values.size()),
              f.values.size() == 1 ? "value differs" : "values differ");
  out.print("\n");
  if (const std::string hint = make_hint(s); !hint.empty()) out.print("{}\n", hint);
}

Json json_of_diff(const DiffInput& s) {
  Json changed = Json::array(), first = Json::array(), second = Json::array(),
       renames = Json::array(), values = Json::array();
  for (const auto& c : s.found.changed) {
    const TensorItem &x = s.a.tensors[c.first], &y = s.b.tensors[c.second];
    const taper::ElementDifference& d = c.distance;
    Json item = {{"name", x.name},
                 {"what", c.shape   ? "shape"
                          : c.dtype ? "dtype"
                                    : "values"},
                 {"shape", {json_of(x.shape), json_of(y.shape)}},
                 {"dtype", {x.dtype, y.dtype}},
                 {"num_different", d.num_different},
                 {"elements", d.elements},
                 {"compared", d.compared && !c.shape}};
    if (d.num_different) {
      item["max_abs_diff"] = json_of(d.max_abs_diff);
      item["index"] = json_of(d.index);
      item["values"] = {json_of(d.first), json_of(d.second)};
      item["mean"] = json_of(d.mean);
    }
    changed.push_back(std::move(item));
  }
  for (const std::size_t i : s.found.only_first) first.push_back(s.a.tensors[i].name);
  for (const std::size_t i : s.found.only_second) second.push_back(s.b.tensors[i].name);
  for (const auto& r : s.found.renames)
    renames.push_back({{"from", s.a.tensors[r.first].name},
                       {"to", s.b.tensors[r.second].name},
                       {"same_values", r.same_values}});
  for (const auto& v : s.found.values)
    values.push_back({{"name", v.name}, {"first", v.first}, {"second", v.second}});
  return {{"first", s.first.file},    {"second", s.second.file}, {"equal", s.found.empty()},
          {"common", s.found.common}, {"tensors", changed},      {"only_first", first},
          {"only_second", second},    {"renames", renames},      {"values", values}};
}

int diff(Out& out, const DiffOptions& o, bool as_json) {
  const Source first = open_source(o.first, {.key = o.first_key.empty() ? o.key : o.first_key}),
               second = open_source(o.second, {.key = o.second_key.empty() ? o.key : o.second_key});
  const Contents a = contents_of(first.value), b = contents_of(second.value);
  const Comparison found = compare(a, b, o.tolerance);
  const DiffInput diff_input{first, second, a, b, found};
  if (as_json)
    print_json(out, json_of_diff(diff_input));
  else
    print_text(out, diff_input, o);
  return found.empty() ? 0 : 1;
}

}  // namespace

void add_diff(Commands& commands) {
  CLI::App& sub =
      commands.add("diff", "compare two checkpoints of any formats",
                   "  taper diff before.pt after.safetensors\n"
                   "  taper diff a.pt b.pt --rtol 1e-5 --atol 1e-8\n"
                   "  taper diff run.pt weights.pt --key-a model_state_dict\n"
                   "Elements are equal if |a - b| <= atol + rtol * |b|, or both are NaN.\n"
                   "The exit status is 1 if anything differs.");
  const auto o = std::make_shared<DiffOptions>();
  sub.add_option("A", o->first, "first checkpoint")->required();
  sub.add_option("B", o->second, "second checkpoint")->required();
  sub.add_option("--rtol", o->tolerance.rtol, "relative tolerance (default: 0)")
      ->type_name("X")
      ->check(non_negative_number());
  sub.add_option("--atol", o->tolerance.atol, "absolute tolerance (default: 0)")
      ->type_name("X")
      ->check(non_negative_number());
  sub.add_option("--key", o->key, "select one part of both checkpoints")->type_name("PATH");
  sub.add_option("--key-a", o->first_key, "select one part of A")->type_name("PATH");
  sub.add_option("--key-b", o->second_key, "select one part of B")->type_name("PATH");
  sub.add_option("--limit", o->limit, "maximum number of lines per list (default: 50; 0: all)")
      ->check(line_count())
      ->type_name("N");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return diff(out, *o, common.json); });
}

}  // namespace taper::cli
