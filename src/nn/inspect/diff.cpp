#include "taper/nn/diff.h"

#include <algorithm>
#include <ostream>

#include "core/check.h"
#include "core/element_difference.h"
#include "nn/module/extra.h"

namespace taper::nn {
namespace {

using Kind = Diff::TensorEntry::Kind;

std::string describe_value(const Value& v) {
  if (!v.is_tensor()) return v.repr();
  const Tensor& t = v.as_tensor();
  return is_lazy(t) ? t.str() : dtype_and_shape(t);
}

Tensor on_cpu(const Tensor& t) { return t.detach().to(Device::cpu()); }

void compare_elements(const Tensor& a, const Tensor& b, const DiffOptions& o,
                      Diff::TensorEntry& entry) {
  const Tensor x = on_cpu(a), y = on_cpu(b);
  const Tolerance tolerance{.rtol = o.rtol, .atol = o.atol};
  ElementDifference d = element_difference(x, y, tolerance);
  if (!d.compared) d = element_difference(x.contiguous(), y.contiguous(), tolerance);
  entry.elements = d.elements, entry.num_different = d.num_different;
  entry.max_abs_diff = d.max_abs_diff, entry.index = d.index;
  entry.first_value = d.first, entry.second_value = d.second;
  entry.mean = d.mean;
}

bool has_elements(const Tensor& t) { return !is_lazy(t) && !t.device().is_meta(); }

/// Adds an entry to `diff` if the values or their dtypes differ.
void compare(const std::string& key, const Value& a, const Value& b, const DiffOptions& o,
             Diff& diff) {
  Diff::TensorEntry entry{
      .kind = Kind::kind, .key = key, .first = describe_value(a), .second = describe_value(b)};
  if (!a.is_tensor() || !b.is_tensor()) {
    if (a.is_tensor() || b.is_tensor() || !(a == b)) diff.tensors.push_back(std::move(entry));
    return;
  }
  const Tensor &x = a.as_tensor(), &y = b.as_tensor();
  const bool lazy = is_lazy(x) || is_lazy(y);
  if (lazy ? is_lazy(x) != is_lazy(y) : !(x.shape() == y.shape())) {
    entry.kind = Kind::shape;
    diff.tensors.push_back(std::move(entry));
    return;
  }
  if (has_elements(x) && has_elements(y)) compare_elements(x, y, o, entry);
  if (x.dtype() == y.dtype() && entry.num_different == 0) return;
  entry.kind = x.dtype() == y.dtype() ? Kind::values : Kind::dtype;
  diff.tensors.push_back(std::move(entry));
}

const Dict& require_dict(const Value& state) {
  if (!state.is_dict()) fail<TypeError>("diff: got {}, expected a dict", state.type_name());
  return state.as_dict();
}

std::string format_key(const Value& key) { return key.is_string() ? key.as_string() : key.repr(); }

/// Formats a module without its children: "Linear(in_features=2, out_features=3, bias=True)". Line
/// breaks are replaced with semicolons.
std::string format_module(const Module& m) {
  std::string extra = m.extra_repr();
  std::replace(extra.begin(), extra.end(), '\n', ';');
  return std::string(m.type_name()) + "(" + extra + ")";
}

std::string format_number(double v) { return python_repr(v); }

void append_entry_line(const Diff::TensorEntry& e, std::string& out) {
  switch (e.kind) {
    case Kind::only_first: out += "\n  - " + e.key + ": " + e.first; return;
    case Kind::only_second: out += "\n  + " + e.key + ": " + e.second; return;
    case Kind::kind:
    case Kind::shape:
    case Kind::dtype: out += "\n  " + e.key + ": " + e.first + " | " + e.second; break;
    case Kind::values: out += "\n  " + e.key + ": " + e.first; break;
  }
  if (e.num_different == 0) return;
  out += format_message(", {} of {} elements differ, by {} at {} ({} | {}), {} on average",
                        e.num_different, e.elements, format_number(e.max_abs_diff), e.index.str(),
                        format_number(e.first_value), format_number(e.second_value),
                        format_number(e.mean));
}

}  // namespace

Diff diff(const Value& first, const Value& second, const DiffOptions& options) {
  const Dict &a = require_dict(first), &b = require_dict(second);
  Diff result;
  for (const auto& [key, v] : a) {
    const Value* other = b.find(key);
    if (!other) {
      result.tensors.push_back({.kind = Kind::only_first,
                                .key = format_key(key),
                                .first = describe_value(v),
                                .second = {}});
      continue;
    }
    ++result.compared;
    compare(format_key(key), v, *other, options, result);
  }
  for (const auto& [key, v] : b)
    if (!a.contains(key))
      result.tensors.push_back({.kind = Kind::only_second,
                                .key = format_key(key),
                                .first = {},
                                .second = describe_value(v)});
  std::stable_sort(result.tensors.begin(), result.tensors.end(), [](const auto& x, const auto& y) {
    return x.kind != y.kind ? x.kind < y.kind : x.max_abs_diff > y.max_abs_diff;
  });
  return result;
}

Diff diff(const Module& first, const Module& second, const DiffOptions& options) {
  Diff result = diff(first.state_dict(), second.state_dict(), options);
  const NamedOptions all{.remove_duplicate = false};
  const std::vector<ConstNamedModule> a = first.named_modules(all), b = second.named_modules(all);
  const auto at = [](const std::vector<ConstNamedModule>& modules, const std::string& path) {
    for (const ConstNamedModule& m : modules)
      if (m.name == path) return m.module;
    return static_cast<const Module*>(nullptr);
  };
  for (const ConstNamedModule& m : a) {
    const Module* const other = at(b, m.name);
    const std::string x = format_module(*m.module), y = other ? format_module(*other) : "";
    if (x != y) result.modules.push_back({m.name, x, y});
  }
  for (const ConstNamedModule& m : b)
    if (!at(a, m.name)) result.modules.push_back({m.name, "", format_module(*m.module)});
  return result;
}

std::string Diff::str() const {
  if (empty()) return format_message("no difference in {} entries", compared);
  const auto count = [&](auto kind_is) {
    return static_cast<std::int64_t>(std::count_if(tensors.begin(), tensors.end(), kind_is));
  };
  const std::int64_t left = count([](const auto& e) { return e.kind == Kind::only_first; });
  const std::int64_t right = count([](const auto& e) { return e.kind == Kind::only_second; });
  std::string out = format_message(
      "{} of {} common entries differ, {} only in the first, {} only in the second",
      static_cast<std::int64_t>(tensors.size()) - left - right, compared, left, right);
  for (const ModuleEntry& m : modules) {
    const std::string path = m.path.empty() ? "the module itself" : m.path;
    if (m.second.empty())
      out += "\n  - " + path + ": " + m.first;
    else if (m.first.empty())
      out += "\n  + " + path + ": " + m.second;
    else
      out += "\n  " + path + ": " + m.first + " | " + m.second;
  }
  for (const TensorEntry& e : tensors) append_entry_line(e, out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Diff& diff) { return out << diff.str(); }

}  // namespace taper::nn
