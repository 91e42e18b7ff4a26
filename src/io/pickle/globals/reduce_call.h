// One call of a pickle, its arguments read with errors that name what is wrong.
#pragma once
#include <string>

#include "core/check.h"
#include "io/pickle/globals/resolver.h"
#include "taper/core/tensor.h"

namespace taper::io {

struct ReduceCall {
  const GlobalResolver& resolver;
  const Value& callable;
  const Value& arguments;   ///< a tuple
  const std::string& name;  ///< "torch._utils._rebuild_tensor_v2"

  [[noreturn]] void reject(const std::string& what) const {
    fail<ValueError>("{}: {}", name, what);
  }
  /// As any call is refused that the table has not.
  [[noreturn]] void reject_call() const;
  std::size_t size() const { return arguments.as_tuple().size(); }
  const Value& at(std::size_t i) const {
    if (i >= size())
      reject("expected at least " + std::to_string(i + 1) + " arguments, got " +
             std::to_string(size()));
    return arguments.as_tuple()[i];
  }
  [[noreturn]] void expected(std::size_t i, const char* what) const {
    reject("argument " + std::to_string(i) + " is " + at(i).type_name() + ", expected " + what);
  }
  std::int64_t integer(std::size_t i) const {
    if (!at(i).is_int()) expected(i, "an integer");
    return at(i).as_int();
  }
  bool flag(std::size_t i) const { return at(i).is_bool() ? at(i).as_bool() : integer(i) != 0; }
  Shape shape(std::size_t i) const;  ///< sizes or strides
  const Tensor& storage(std::size_t i) const;
  const Tensor& tensor(std::size_t i) const;
};

/// The call as data.
Value opaque(const Value& callable, const Value& arguments);

// torch._utils and torch._tensor: tensors over storages.
Value rebuild_tensor(const ReduceCall& c);
Value rebuild_tensor_v2(const ReduceCall& c);
Value rebuild_tensor_v3(const ReduceCall& c);
Value rebuild_meta_tensor(const ReduceCall& c);
Value rebuild_parameter(const ReduceCall& c);
Value rebuild_quantized(const ReduceCall& c);
Value rebuild_from_type(const ReduceCall& c);

}  // namespace taper::io
