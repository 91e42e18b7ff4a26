#include "quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

constexpr int kMaxPlannedRanks = 65536;

struct UnitFactor {
  std::string_view name;
  double factor;
};
constexpr UnitFactor kBandwidths[] = {{"B", 1},          {"kB", 1e3},       {"MB", 1e6},
                                      {"GB", 1e9},       {"TB", 1e12},      {"kbit", 1e3 / 8},
                                      {"Mbit", 1e6 / 8}, {"Gbit", 1e9 / 8}, {"Tbit", 1e12 / 8}};
constexpr UnitFactor kTimes[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

/// Returns the value of a number that is followed by one of the units; NaN for other texts.
double parse_quantity(std::string_view text, std::span<const UnitFactor> units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) {
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    for (const UnitFactor& known : units)
      if (unit == known.name) return value * known.factor;
  }
  return std::nan("");
}

/// Removes a number from the front of the text. Returns 0 if there is none in the valid range.
int take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1 || value > kMaxPlannedRanks) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Adds "4" or "8..1024" to the list. Returns false for another text.
bool add_ranks(std::string_view item, std::vector<int>& ranks) {
  const int first = take_number(item);
  if (first == 0) return false;
  if (item.empty()) {
    ranks.push_back(first);
    return true;
  }
  if (!item.starts_with("..")) return false;
  item.remove_prefix(2);
  const int last = take_number(item);
  if (last < first || !item.empty()) return false;
  for (int n = first; n < last; n *= 2) ranks.push_back(n);
  ranks.push_back(last);
  return true;
}

}  // namespace

double parse_bandwidth(const std::string& option, const std::string& text) {
  const std::string_view without_second =
      text.ends_with("/s") ? std::string_view(text).substr(0, text.size() - 2) : text;
  const double value = parse_quantity(without_second, kBandwidths);
  if (!(value > 0 && std::isfinite(value)))
    throw UsageError(option + ": expected a positive number with a unit, such as 12.5GB/s or " +
                     "100Gbit/s, got '" + printable(text) + "'");
  return value;
}

double parse_latency(const std::string& option, const std::string& text) {
  const double value = parse_quantity(text, kTimes);
  if (!(value >= 0 && std::isfinite(value)))
    throw UsageError(option + ": expected a time with a unit, such as 5us or 0.1ms, got '" +
                     printable(text) + "'");
  return value;
}

std::vector<int> parse_rank_list(const std::string& option, const std::string& text) {
  std::vector<int> ranks;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (!add_ranks(rest.substr(0, comma), ranks))
      throw UsageError(
          fmt::format("{}: expected numbers from 1 to {} such as 2,4 or 8..1024, got "
                      "'{}'",
                      option, kMaxPlannedRanks, printable(text)));
    if (comma == std::string_view::npos) return ranks;
    rest.remove_prefix(comma + 1);
  }
}

std::string format_seconds(double seconds) {
  const auto digits = [](double value, const char* unit) {
    const int decimals = 2 - (value >= 9.995) - (value >= 99.95);
    return fmt::format("{:.{}f} {}", value, decimals, unit);
  };
  if (seconds < 0.9995e-3) return digits(seconds * 1e6, "us");
  return seconds < 0.9995 ? digits(seconds * 1e3, "ms") : digits(seconds, "s");
}

}  // namespace taper::cli
