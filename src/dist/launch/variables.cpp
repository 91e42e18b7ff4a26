#include "dist/launch/variables.h"

#include <charconv>
#include <cstring>

#include "core/check.h"

namespace taper::distributed {
namespace {

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || value < 0) return {};
  return value;
}

std::optional<int> parse_port(std::string_view text) {
  const auto port = parse_number(text);
  return port && *port >= 1 && *port <= 65535 ? port : std::nullopt;
}

}  // namespace

bool Variables::is_set(const char* name) const {
  const char* const value = name ? read_(name) : nullptr;
  return value && *value;
}

std::string Variables::text(const char* name, const char* fallback) const {
  return is_set(name) ? read_(name) : fallback;
}

std::optional<NumberVariable> Variables::number(const std::array<const char*, 3>& names) const {
  for (const char* const name : names) {
    if (!is_set(name)) continue;
    const auto value = parse_number(read_(name));
    if (!value)
      fail<ValueError>("init_process_group: {} is '{}', expected a non-negative integer", name,
                       read_(name));
    return NumberVariable{name, *value};
  }
  return {};
}

std::optional<int> Variables::port(const char* name) const {
  if (!is_set(name)) return {};
  const auto value = parse_port(read_(name));
  if (!value)
    fail<ValueError>("init_process_group: {} is '{}', expected a port from 1 to 65535", name,
                     read_(name));
  return value;
}

std::string Endpoint::str() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Endpoint> parse_endpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return {};
  const auto port = parse_port(text.substr(colon + 1));
  if (host.empty() || !port) return {};
  return Endpoint{std::string(host), *port};
}

std::string first_slurm_host(std::string_view list) {
  const std::size_t end = list.find_first_of("[,");
  std::string host(list.substr(0, end));
  if (end == std::string_view::npos || list[end] == ',') return host;
  const std::size_t close = list.find(']', end);
  if (close == std::string_view::npos) return {};
  // "07-09,12": the first number, with its zeros.
  const std::string_view numbers = list.substr(end + 1, close - end - 1);
  const std::string_view first = numbers.substr(0, numbers.find_first_of("-,"));
  if (first.empty() || !parse_number(first)) return {};
  host += first;
  // Names may have several ranges: "rack[1-2]node[3-4]".
  const std::string rest = first_slurm_host(list.substr(close + 1));
  return host + rest;
}

}  // namespace taper::distributed
