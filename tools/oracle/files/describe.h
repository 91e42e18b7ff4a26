// The neutral description of what a file holds: the JSON that Python's description of the same
// value is.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "cases/case_file.h"
#include "taper/core/value.h"

namespace taper {
class Storage;
}

namespace taper::oracle {

/// Describes the parts of one entry: storages keep their labels from call to call.
class Describer {
 public:
  /// Throws BadCase for a value that is nested too deep, which no description is.
  Json operator()(const Value& v);

 private:
  Json tensor(const Value& v);
  Json sequence(const char* type, const Values& items);
  Json dict(const Dict& d);
  Json opaque(const Value& v);
  std::optional<Json> module(const Value& v);
  Json named(const Value& dict);

  std::map<const Storage*, std::string> labels_;
  Values kept_;  // so that no storage is freed, and another one put in its place
  int depth_ = 0;
};

/// A floating number as the descriptions have it: text where JSON has no number for it.
Json number_json(double v);
/// "collections.OrderedDict": a global as Python 3 and NumPy 2 call it.
std::string python_name(const Value& global);

}  // namespace taper::oracle
