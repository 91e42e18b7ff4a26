// Arguments of transforms.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/value.h"
#include "taper/data/transforms/numbers.h"

namespace taper::tools {

/// Arguments by name. An argument that is absent has its default value. Functions throw TypeError
/// if an argument has another type, or is absent without a default value.
class TransformArguments {
 public:
  /// `parameters`: the names of the parameters in their order, separated by spaces. Throws
  /// TypeError for more positional arguments, an unknown keyword, or an argument that is given
  /// twice.
  TransformArguments(std::string name, std::string_view parameters, const Values& args,
                     const Value& kwargs);

  bool flag(const char* name, bool default_value) const;
  double number(const char* name) const;
  double number(const char* name, double default_value) const;
  std::int64_t integer(const char* name) const;
  std::int64_t integer(const char* name, std::int64_t default_value) const;
  std::optional<std::int64_t> optional_integer(const char* name) const;
  std::string text(const char* name, const std::string& default_value) const;
  /// A number or a list of numbers; empty if it is None.
  data::transforms::Numbers numbers(const char* name,
                                    const data::transforms::Numbers& default_value = {}) const;
  std::array<double, 2> pair(const char* name, const std::array<double, 2>& default_value) const;
  std::optional<std::array<double, 2>> optional_pair(const char* name) const;
  /// An integer or a list of integers; empty if it is None or absent.
  Shape shape(const char* name) const;
  Tensor tensor(const char* name) const;
  DType dtype(const char* name) const;
  /// Returns null if the argument is absent.
  const Value* find(const char* name) const;

 private:
  const Value& at(const char* name) const;
  [[noreturn]] void reject(const char* name, const char* expected, const Value& got) const;
  std::int64_t to_integer(const char* name, const Value& value) const;
  double to_number(const char* name, const Value& value) const;

  std::string name_;
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace taper::tools
