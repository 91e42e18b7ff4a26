// The neutral description of what a file holds: the JSON that Python's description of the same
// value is.
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

/// Describes the parts of one entry: storages keep their labels from call to call.
class Describer {
 public:
  /// Throws BadCase for a value that is nested too deep, which no description is, and for more
  /// parts and elements of tensors than `most` in all: shared parts count every time.
  explicit Describer(std::size_t most = std::numeric_limits<std::size_t>::max()) : left_(most) {}
  Json operator()(const Value& v);

 private:
  void spend(std::size_t parts);
  Json tensor(const Value& v);
  Json sequence(const char* type, const Values& items);
  Json dict(const Dict& d);
  Json opaque(const Value& v);
  std::optional<Json> foreign(const Value& v);
  std::string elements(const ForeignTensor& t);
  /// Says which storage a tensor looks at.
  void label(const Tensor& t, Json& described);
  std::optional<Json> module(const Value& v);
  Json named(const Value& dict);

  std::map<const Storage*, std::string> labels_;
  Values kept_;  // so that no storage is freed, and another one put in its place
  std::size_t left_;
  int depth_ = 0;
};

/// A floating number as the descriptions have it: text where JSON has no number for it.
Json number_json(double v);
/// "collections.OrderedDict": a global as Python 3 and NumPy 2 call it.
std::string python_name(const Value& global);

}  // namespace taper::oracle
