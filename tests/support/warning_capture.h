// WarningCapture: the warnings of a scope.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/shared_function.h"
#include "taper/core/warning.h"

namespace taper::test {

/// Collects warnings instead of printing them; the destructor restores the previous handler.
class WarningCapture {
 public:
  WarningCapture()
      : previous_(set_warning_handler([this](const std::string& text) { all_.push_back(text); })) {}
  ~WarningCapture() { set_warning_handler(std::move(previous_)); }
  WarningCapture(const WarningCapture&) = delete;
  WarningCapture& operator=(const WarningCapture&) = delete;

  /// Returns the warnings so far, oldest first.
  const std::vector<std::string>& all() const { return all_; }
  std::size_t count() const { return all_.size(); }
  /// Returns the newest warning; an empty string if there was none.
  std::string last() const { return all_.empty() ? "" : all_.back(); }
  void clear() { all_.clear(); }

 private:
  std::vector<std::string> all_;
  SharedFunction<void(const std::string&)> previous_;
};

}  // namespace taper::test
