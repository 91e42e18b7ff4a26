// Factories and predicates of tensors.
#include "functions/table.h"
#include "taper/core/factory.h"
#include "taper/ops/result_type.h"

namespace taper::oracle {
namespace {

TensorOptions options(Arguments& a) {
  return {.dtype = a.optional_dtype("dtype"), .requires_grad = a.boolean("requires_grad", false)};
}

template <Tensor (*make)(const Shape&, const TensorOptions&)> Value of_shape(Arguments& a) {
  const Shape shape = a.shape("size");
  const TensorOptions o = options(a);
  a.done();
  return make(shape, o);
}

template <Tensor (*make)(const Tensor&, const TensorOptions&, MemoryFormat)>
Value like(Arguments& a) {
  const Tensor x = a.tensor("input");
  const TensorOptions o = options(a);
  a.done();
  return make(x, o, contiguous_format);
}

Value call_arange(Arguments& a) {
  const Scalar start = a.scalar("start", 0), end = a.scalar("end"), step = a.scalar("step", 1);
  const TensorOptions o = options(a);
  a.done();
  return arange(start, end, step, o);
}

/// Calls function(start, end) with tensors and numbers as they were given.
template <class F> Value with_bounds(const Value& start, const Value& end, F&& function) {
  const auto with_end = [&](const auto& first) {
    return end.is_tensor() ? function(first, end.as_tensor()) : function(first, end.as_double());
  };
  return start.is_tensor() ? with_end(start.as_tensor()) : with_end(start.as_double());
}

Value call_linspace(Arguments& a) {
  const Value start = a.value("start"), end = a.value("end");
  const std::int64_t steps = a.integer("steps");
  const TensorOptions o = options(a);
  a.done();
  return with_bounds(start, end, [&](const auto& first, const auto& last) {
    return linspace(first, last, steps, o);
  });
}

Value call_logspace(Arguments& a) {
  const Value start = a.value("start"), end = a.value("end");
  const std::int64_t steps = a.integer("steps");
  const double base = a.number("base", 10);
  const TensorOptions o = options(a);
  a.done();
  return with_bounds(start, end, [&](const auto& first, const auto& last) {
    return logspace(first, last, steps, base, o);
  });
}

Value call_scalar_tensor(Arguments& a) {
  const Scalar value = a.scalar("s");
  const TensorOptions o = options(a);
  a.done();
  return scalar_tensor(value, o);
}

Value call_eye(Arguments& a) {
  const std::int64_t n = a.integer("n"), m = a.integer("m", -1);
  const TensorOptions o = options(a);
  a.done();
  return eye(n, m, o);
}

Value call_full(Arguments& a) {
  const Shape shape = a.shape("size");
  const Scalar value = a.scalar("fill_value");
  const TensorOptions o = options(a);
  a.done();
  return full(shape, value, o);
}

Value call_full_like(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Scalar value = a.scalar("fill_value");
  const TensorOptions o = options(a);
  a.done();
  return full_like(x, value, o);
}

Value call_equal(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("other");
  a.done();
  return equal(x, y);
}

Value call_allclose(Arguments& a) {
  const Tensor x = a.tensor("input"), y = a.tensor("other");
  const double rtol = a.number("rtol", 1e-5), atol = a.number("atol", 1e-8);
  const bool equal_nan = a.boolean("equal_nan", false);
  a.done();
  return allclose(x, y, rtol, atol, equal_nan);
}

Value call_numel(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.numel();
}

Value call_promote_types(Arguments& a) {
  const DType x = *a.optional_dtype("type1"), y = *a.optional_dtype("type2");
  a.done();
  return promote_types(x, y);
}

/// Reads a tensor or a number.
template <class F> Value with_operand(const Value& v, F&& function) {
  if (v.is_tensor()) return function(v.as_tensor());
  if (v.is_bool()) return function(Scalar(v.as_bool()));
  return v.is_int() ? function(Scalar(v.as_int())) : function(Scalar(v.as_double()));
}

Value call_result_type(Arguments& a) {
  const Value x = a.value("tensor1"), y = a.value("tensor2");
  a.done();
  return with_operand(x, [&](const auto& first) {
    return with_operand(y, [&](const auto& second) { return Value(result_type(first, second)); });
  });
}

Value call_item(Arguments& a) {
  const Tensor x = a.tensor("input");
  a.done();
  return x.item();
}

}  // namespace

void add_creation(FunctionTable& table) {
  table["torch.zeros"] = of_shape<zeros>;
  table["torch.ones"] = of_shape<ones>;
  table["torch.empty"] = of_shape<empty>;
  table["torch.zeros_like"] = like<zeros_like>;
  table["torch.ones_like"] = like<ones_like>;
  table["torch.empty_like"] = like<empty_like>;
  table["torch.arange"] = call_arange;
  table["torch.linspace"] = call_linspace;
  table["torch.logspace"] = call_logspace;
  table["torch.scalar_tensor"] = call_scalar_tensor;
  table["torch.eye"] = call_eye;
  table["torch.full"] = call_full;
  table["torch.full_like"] = call_full_like;
  table["equal"] = call_equal;
  table["allclose"] = call_allclose;
  table["torch.numel"] = call_numel;
  table["torch.promote_types"] = call_promote_types;
  table["torch.result_type"] = call_result_type;
  table["Tensor.item"] = call_item;
}

}  // namespace taper::oracle
