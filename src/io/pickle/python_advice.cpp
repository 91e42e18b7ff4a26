#include "io/pickle/python_advice.h"

#include <algorithm>

#include "core/check.h"
#include "io/text.h"
#include "taper/io/pickle_scan.h"

namespace taper::io {

std::string python_advice(std::span<const std::byte> bytes, std::string_view what,
                          bool contains_code) {
  const PickleScan scan = scan_pickles(bytes);
  const auto worst = std::max_element(scan.globals.begin(), scan.globals.end(),
                                      [](const auto& a, const auto& b) { return a.risk < b.risk; });
  const PickleRisk risk = worst == scan.globals.end() ? PickleRisk::allowed : worst->risk;
  const auto name = [&] { return escape_for_message(worst->name); };
  if (risk == PickleRisk::dangerous)
    return format_message(" Do not load it in Python, which would {} {}: it may be malicious",
                          worst->calls > 0 ? "call" : "import", name());
  std::string reason;
  if (risk == PickleRisk::code)
    reason = format_message("which would {} {}", worst->calls > 0 ? "call" : "import", name());
  else if (contains_code)
    reason = "which would run the code in the file";
  else if (!scan.stopped.empty())
    reason = "which may run code in the part that could not be scanned";
  if (reason.empty()) return format_message(" In Python, {}", what);
  return format_message(" If you trust its author, {} in Python, {}", what, reason);
}

}  // namespace taper::io
