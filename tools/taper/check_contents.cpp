// check_values, check_names, check_copies: checks of the tensors of a file.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "check.h"
#include "compare.h"
#include "core/element_reader.h"
#include "tensor_stats.h"
#include "words.h"

namespace taper::cli {

using Severity = Finding::Severity;

Finding check_values(const Contents& contents) {
  Finding f{Severity::ok, "values", ""};
  std::size_t num_checked = 0, unread = 0;
  for (const TensorItem& t : contents.tensors) {
    const bool readable =
        !t.foreign && !taper::is_heavily_overlapping(taper::distinct_elements(t.tensor).tensor);
    unread += !readable;
    if (!readable) continue;
    ++num_checked;
    if (!taper::is_floating_point(t.tensor.dtype())) continue;
    taper::ElementReader<double> elements(taper::distinct_elements(t.tensor).tensor);
    std::vector<double> chunk(4096);
    std::uint64_t nans = 0, infinities = 0;
    for (std::size_t n; (n = elements.read(chunk)) > 0;)
      for (std::size_t i = 0; i < n; ++i)
        nans += std::isnan(chunk[i]), infinities += std::isinf(chunk[i]);
    if (!nans && !infinities) continue;
    std::string what = nans ? format_count(nans, "NaN") : "";
    if (infinities) what += (what.empty() ? "" : " and ") + with_commas(infinities) + " inf";
    f.details.push_back(printable(t.name) + ": " + what);
  }
  f.severity = f.details.empty() ? Severity::ok : Severity::error;
  f.text = f.details.empty() ? format_count(num_checked, "tensor") +
                                   (num_checked == 1 ? " is" : " are") + " finite"
                             : format_count(f.details.size(), "tensor") + " with NaN or inf";
  if (unread)
    f.text += fmt::format("; {} not checked (unsupported dtype or overlapping elements)", unread);
  return f;
}

namespace {

std::vector<std::string> split_at_dots(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_number(const std::string& part) {
  return !part.empty() &&
         std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// Returns a description of the problem of a name, or an empty string.
std::string name_issue(const std::string& name) {
  const std::vector<std::string> parts = split_at_dots(name);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i] == "_orig_mod") return "prefix '_orig_mod.' was added by torch.compile";
    if (parts[i] == "_fsdp_wrapped_module")
      return "prefix '_fsdp_wrapped_module.' was added by FSDP";
    if (parts[i] == "_checkpoint_wrapped_module")
      return "prefix '_checkpoint_wrapped_module.' was added by activation checkpointing";
    if (parts[i] == parts[i + 1] && !is_number(parts[i]))
      return parts[i] + "." + parts[i] + ". is a repeated part";
  }
  return parts.size() > 1 && parts[0] == "module"
             ? "prefix 'module.' was added by DataParallel (--rename 'module.*=*')"
             : "";
}

}  // namespace

Finding check_names(const Contents& contents) {
  Finding f{Severity::ok, "names", ""};
  struct NameIssue {
    std::string example;
    std::size_t count = 0;
  };
  std::map<std::string, NameIssue> issues;
  std::map<std::string, std::string> by_lower;
  for (const TensorItem& t : contents.tensors) {
    // Only the key in the innermost dict is checked: "module" is a valid name for a part of a
    // checkpoint.
    const std::string& key = t.path.empty() ? t.name : t.path.back();
    std::string issue = name_issue(key);
    if (issue.empty() && key.empty() && !t.path.empty()) issue = "empty name";
    if (issue.empty() && key != printable(key, key.size() + 1))
      issue = "name with non-printable characters";
    std::string lower = t.name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto [other, is_new] = by_lower.emplace(lower, t.name);
    if (issue.empty() && !is_new)
      issue = other->second == t.name ? "duplicate name" : "names differ in case only";
    if (issue.empty()) continue;
    NameIssue& d = issues[issue];
    if (d.count++ == 0) d.example = t.name.empty() ? "''" : t.name;
  }
  for (const auto& [issue, d] : issues)
    f.details.push_back(printable(issue) + ": " + printable(d.example) +
                        (d.count > 1 ? fmt::format(" and {} more", with_commas(d.count - 1)) : ""));
  f.severity = issues.empty() ? Severity::ok : Severity::error;
  f.text = issues.empty() ? "no suspicious names"
                          : "suspicious names; rename the tensors with taper convert --rename";
  return f;
}

Finding check_copies(const Contents& contents) {
  constexpr std::int64_t kMinElements = 16;  // elements; smaller tensors are often equal by chance
  Finding f{Severity::ok, "copies", ""};
  std::map<std::uint64_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
    const TensorItem& t = contents.tensors[i];
    if (t.foreign || t.shares_with != TensorItem::npos || t.tensor.numel() < kMinElements) continue;
    const TensorStats s = stats_of(t, 1);
    if (s.unread || s.min == s.max) continue;  // constant tensors are often equal by chance
    groups[fingerprint(t.tensor)].push_back(i);
  }
  std::uint64_t duplicate_bytes = 0;
  for (const auto& [hash, items] : groups)
    for (std::size_t n = 1; n < items.size(); ++n) {
      const TensorItem &first = contents.tensors[items[0]], &t = contents.tensors[items[n]];
      if (!(first.shape == t.shape) || first.dtype != t.dtype ||
          taper::element_difference(first.tensor, t.tensor, {}).num_different)
        continue;
      duplicate_bytes += t.bytes;
      f.details.push_back(printable(t.name) + " = " + printable(first.name));
    }
  f.severity = f.details.empty() ? Severity::ok : Severity::note;
  f.text = f.details.empty()
               ? "no duplicate tensors"
               : format_count(f.details.size(), "tensor") + " with the same elements as another " +
                     "tensor, but separate memory (" + format_bytes(duplicate_bytes) + ")";
  return f;
}

}  // namespace taper::cli
