#include "nn/python_interop/python_class.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/never_destroyed.h"
#include "taper/nn/python_interop.h"

namespace taper::nn {
namespace {

/// User-defined classes and their Python names. Locked, because libraries that define classes may
/// be loaded and unloaded on any thread.
struct PythonClassRegistry {
  std::mutex mutex;
  std::vector<std::pair<const std::type_info*, std::string>> all;
};
PythonClassRegistry& names() {
  static NeverDestroyed<PythonClassRegistry> known;
  return *known;
}

}  // namespace

std::string python_name_of(const std::type_info& type) {
  const std::lock_guard lock(names().mutex);
  for (const auto& [known, path] : names().all)
    if (*known == type) return path;
  return {};
}

const std::type_info* find_python_class(std::string_view path) {
  const std::lock_guard lock(names().mutex);
  for (const auto& [known, name] : names().all)
    if (name == path) return known;
  return nullptr;
}

namespace detail {

PythonClass::PythonClass(const std::type_info& type, std::string_view path) : type_(type) {
  const std::lock_guard lock(names().mutex);
  names().all.emplace_back(&type, path);
}
PythonClass::~PythonClass() {
  const std::lock_guard lock(names().mutex);
  auto& all = names().all;
  const auto at = std::find_if(all.begin(), all.end(),
                               [this](const auto& known) { return *known.first == type_; });
  if (at != all.end()) all.erase(at);
}

}  // namespace detail
}  // namespace taper::nn
