// The arguments of one call, read in the order of the signature.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper::oracle {

/// Positional and named arguments. Each reader takes the next parameter of the signature: the next
/// positional argument if there is one, else the one of that name. What nobody takes is an option
/// that does not exist here.
class Arguments {
 public:
  Arguments(std::string callee, Values positional, std::map<std::string, Value> named)
      : callee_(std::move(callee)), positional_(std::move(positional)), named_(std::move(named)) {}

  const std::string& callee() const { return callee_; }
  /// The value of the next parameter; null if it was not given.
  const Value* next(const std::string& name);
  /// The same without taking it.
  const Value* peek(const std::string& name) const;
  /// The value of a named argument, whatever its place in the signature.
  const Value* named(const std::string& name);

  /// Readers of one kind; those without a default throw Missing if the argument is not there.
  Value value(const std::string& name);
  Tensor tensor(const std::string& name);
  std::optional<Tensor> optional_tensor(const std::string& name);
  std::vector<Tensor> tensors(const std::string& name);
  Scalar scalar(const std::string& name, std::optional<Scalar> otherwise = {});
  std::int64_t integer(const std::string& name, std::optional<std::int64_t> otherwise = {});
  double number(const std::string& name, std::optional<double> otherwise = {});
  bool boolean(const std::string& name, std::optional<bool> otherwise = {});
  std::string text(const std::string& name, std::optional<std::string> otherwise = {});
  /// A list of integers, or one integer.
  Shape shape(const std::string& name, std::optional<Shape> otherwise = {});
  /// The same where None stands for the size that is there: -1.
  Shape sizes_or_none(const std::string& name);
  /// None and an absent argument give nothing.
  std::optional<std::int64_t> optional_integer(const std::string& name);
  std::optional<double> optional_number(const std::string& name);
  std::optional<Scalar> optional_scalar(const std::string& name);
  std::optional<Shape> optional_shape(const std::string& name);
  std::optional<DType> optional_dtype(const std::string& name);

  /// Throws Missing for an argument that nobody took.
  void done() const;

 private:
  const Value* next_or_missing(const std::string& name, bool may_be_absent);
  std::string callee_;
  Values positional_;
  std::map<std::string, Value> named_;
  std::size_t taken_ = 0;
};

/// A bool, integer or float value as a number. Throws TypeError for others.
Scalar scalar_of(const Value& value);
/// A list, tuple, size or one integer.
Shape shape_of(const Value& value);

}  // namespace taper::oracle
