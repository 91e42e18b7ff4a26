// Arguments of one call, read in the order of the signature.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper::oracle {

/// Positional and named arguments. Each reader consumes the next parameter of the signature: the
/// next positional argument if there is one, otherwise the argument of this name. Arguments that
/// are not consumed are unsupported options.
class Arguments {
 public:
  Arguments(std::string callee, Values positional, std::map<std::string, Value> named)
      : callee_(std::move(callee)), positional_(std::move(positional)), named_(std::move(named)) {}

  const std::string& callee() const { return callee_; }
  /// Returns the value of the next parameter; null if it was not given.
  const Value* next(const std::string& name);
  /// As `next`, without consuming the argument.
  const Value* peek(const std::string& name) const;

  /// Typed readers. Readers without a default throw Unsupported if the argument is absent.
  Value value(const std::string& name);
  Tensor tensor(const std::string& name);
  std::optional<Tensor> optional_tensor(const std::string& name);
  std::vector<Tensor> tensors(const std::string& name);
  Scalar scalar(const std::string& name, std::optional<Scalar> default_value = {});
  std::int64_t integer(const std::string& name, std::optional<std::int64_t> default_value = {});
  double number(const std::string& name, std::optional<double> default_value = {});
  bool boolean(const std::string& name, std::optional<bool> default_value = {});
  std::string text(const std::string& name, std::optional<std::string> default_value = {});
  /// Accepts a list of integers or one integer.
  Shape shape(const std::string& name, std::optional<Shape> default_value = {});
  /// Accepts a list of integers and None, or one of them.
  std::vector<std::optional<std::int64_t>> optional_integers(const std::string& name);
  /// Return nullopt for None and for an absent argument.
  std::optional<std::int64_t> optional_integer(const std::string& name);
  std::optional<double> optional_number(const std::string& name);
  std::optional<Scalar> optional_scalar(const std::string& name);
  std::optional<Shape> optional_shape(const std::string& name);
  std::optional<DType> optional_dtype(const std::string& name);

  /// Throws Unsupported for an argument that was not consumed.
  void done() const;

 private:
  /// Returns the value of a named argument, at any position in the signature.
  const Value* named(const std::string& name);
  const Value* next_or_missing(const std::string& name, bool is_optional);
  std::string callee_;
  Values positional_;
  std::map<std::string, Value> named_;
  std::size_t next_index_ = 0;
};

/// Converts a bool, integer or float to a number. Throws TypeError for other values.
Scalar scalar_of(const Value& value);
/// Converts a list, a tuple, a size or an integer to a shape.
Shape shape_of(const Value& value);

}  // namespace taper::oracle
