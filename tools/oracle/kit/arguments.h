// Arguments of functions and classes in cases of the training kit.
#pragma once
#include <array>
#include <optional>

#include "kit/values.h"
#include "taper/data/transforms/numbers.h"
#include "training/fields.h"

namespace taper::oracle {

/// Arguments by name. An argument that is absent has its default value; all must be read.
class KitArguments {
 public:
  KitArguments(Case& c, const Json& arguments) : case_(c), fields_(arguments) {}

  bool flag(const char* name, bool default_value);
  double number(const char* name) { return read_number(fields_.at(name)); }
  double number(const char* name, double default_value);
  std::int64_t integer(const char* name) { return read_integer(fields_.at(name)); }
  std::int64_t integer(const char* name, std::int64_t default_value);
  std::optional<std::int64_t> optional_integer(const char* name);
  std::string text(const char* name, const std::string& default_value);
  /// A number or a list of numbers; empty if it is null.
  data::transforms::Numbers numbers(const char* name,
                                    const data::transforms::Numbers& default_value = {});
  std::array<double, 2> pair(const char* name, const std::array<double, 2>& default_value);
  std::optional<std::array<double, 2>> optional_pair(const char* name);
  /// An integer or a list of integers; empty if it is null or absent.
  Shape shape(const char* name);
  const Tensor& tensor(const char* name) { return read_tensor(case_, fields_.at(name)); }
  DType dtype(const char* name);
  const Json* find(const char* name) { return fields_.find(name); }
  /// Throws MalformedCase if there are unread arguments.
  void done() const { fields_.done(); }

 private:
  Case& case_;
  Fields fields_;
};

}  // namespace taper::oracle
