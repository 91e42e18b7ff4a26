// Description of a value that was read, in the JSON format in which Python describes the same
// value.
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "cases/case_file.h"
#include "taper/core/value.h"

namespace taper {
class Storage;
struct ForeignTensor;
}  // namespace taper

namespace taper::oracle {

/// Describes the parts of one entry. Storages keep their labels between calls.
class Describer {
 public:
  /// Throws MalformedCase for values that are nested too deeply, and for more than `max` parts and
  /// tensor elements in total, where shared parts count every time.
  explicit Describer(std::size_t max = std::numeric_limits<std::size_t>::max()) : budget_(max) {}
  Json operator()(const Value& v);

 private:
  void consume_budget(std::size_t parts);
  Json tensor(const Value& v);
  Json sequence(const char* type, const Values& items);
  Json dict(const Dict& d);
  Json opaque(const Value& v);
  std::optional<Json> foreign(const Value& v);
  std::string elements(const ForeignTensor& t);
  /// Adds the storage of a tensor to its description.
  void label(const Tensor& t, Json& described);
  std::optional<Json> module(const Value& v);
  Json named(const Value& dict);

  std::map<const Storage*, std::string> labels_;
  Values kept_;  // prevents storages from being freed and their addresses reused
  std::size_t budget_;
  int depth_ = 0;
};

/// Returns the description of a floating-point number: a string if JSON cannot represent the
/// number.
Json number_json(double v);
/// Returns the qualified name of a global in Python 3 and NumPy 2: "collections.OrderedDict".
std::string python_name(const Value& global);

}  // namespace taper::oracle
