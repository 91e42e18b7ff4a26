// ReduceCall: one call in a pickle, with checked access to its arguments.
#pragma once
#include <string>

#include "core/check.h"
#include "io/pickle/globals/resolver.h"
#include "taper/core/tensor.h"

namespace taper::io {

struct ReduceCall {
  const GlobalResolver& resolver;
  const Value& callable;
  const Value& arguments;   ///< always a tuple
  const std::string& name;  ///< qualified name: "torch._utils._rebuild_tensor_v2"

  template <class... A>
  [[noreturn, gnu::cold, gnu::noinline]] void reject(fmt::format_string<FormatArg<A>...> form,
                                                     const A&... args) const {
    fail<ValueError>("{}: {}", name, format_message(form, args...));
  }
  /// Throws the ValueError for a call that checkpoints do not contain.
  [[noreturn]] void reject_call() const;
  std::size_t size() const { return arguments.as_tuple().size(); }
  const Value& at(std::size_t i) const {
    if (i >= size()) reject("expected at least {} arguments, got {}", i + 1, size());
    return arguments.as_tuple()[i];
  }
  [[noreturn]] void expected(std::size_t i, const char* what) const {
    reject("argument {} is {}, expected {}", i, at(i).type_name(), what);
  }
  std::int64_t integer(std::size_t i) const {
    if (!at(i).is_int()) expected(i, "an integer");
    return at(i).as_int();
  }
  bool flag(std::size_t i) const { return at(i).is_bool() ? at(i).as_bool() : integer(i) != 0; }
  Shape shape(std::size_t i) const;  ///< sizes or strides: a torch.Size, a tuple or a list
  const Tensor& storage(std::size_t i) const;
  const Tensor& tensor(std::size_t i) const;
};

/// Returns an opaque value that stores the call.
Value opaque(const Value& callable, const Value& arguments);

// Builders of the functions of torch._utils and torch._tensor that create tensors over storages.
Value rebuild_tensor(const ReduceCall& c);
Value rebuild_tensor_v2(const ReduceCall& c);
Value rebuild_tensor_v3(const ReduceCall& c);
Value rebuild_meta_tensor(const ReduceCall& c);
Value rebuild_parameter(const ReduceCall& c);
Value rebuild_quantized(const ReduceCall& c);
Value rebuild_from_type(const ReduceCall& c);

}  // namespace taper::io
