#include "op_call.h"

#include <cmath>
#include <limits>
#include <new>

#include "taper/core/factory.h"
#include "taper/ops/copy.h"

namespace taper::fuzz {
namespace {

using optest::OpCase;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t draw_integer(ByteSource& s) {
  if (s.once_in(6))
    return s.pick({kLeast, kLeast + 1, kMost, kMost - 1, kMost / 2, std::int64_t{1} << 32,
                   std::int64_t{1} << 40, -(std::int64_t{1} << 32)});
  return static_cast<std::int64_t>(s.below(11)) - 4;
}
double draw_number(ByteSource& s) {
  return s.pick({0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 1e-30, 1e30, 1e300, -1e300, kInfinity,
                 -kInfinity, kNan, 9e18, 1e19});
}
std::int64_t draw_size(ByteSource& s) { return s.pick<std::int64_t>({0, 1, 2, 3, 4, 5, 7, 17}); }
Shape draw_shape(ByteSource& s, std::size_t max_rank) {
  Shape shape;
  for (std::size_t rank = s.below(max_rank + 1); rank > 0; --rank) shape.push_back(draw_size(s));
  return shape;
}
DType draw_dtype(ByteSource& s) { return static_cast<DType>(s.below(kDTypeCount)); }
Scalar draw_scalar(ByteSource& s) {
  if (s.once_in(4)) return Scalar(s.once_in(2));
  return s.once_in(2) ? Scalar(draw_integer(s)) : Scalar(draw_number(s));
}
std::string draw_string(ByteSource& s) {
  return s.pick<const char*>({"", "mean", "sum", "none", "max", "min", "prod", "floor", "trunc",
                              "amax", "amin", "linear", "nearest", "constant", "reflect", "tanh",
                              "x", "\xff"});
}

template <class T> T& as(AttributeRef a) { return *static_cast<T*>(a.address); }
template <class T, class F> void draw_optional(AttributeRef a, ByteSource& s, F f) {
  as<std::optional<T>>(a) = s.once_in(3) ? std::nullopt : std::optional<T>(f());
}

Shape draw_attribute_shape(ByteSource& s, const Shape& old) {
  if (s.once_in(4)) {
    Shape other;
    for (std::size_t rank = s.below(6); rank > 0; --rank) other.push_back(draw_integer(s));
    return other;
  }
  Shape changed = old;
  if (!changed.empty()) changed[s.below(changed.size())] = draw_integer(s);
  return changed;
}

void change_attribute(AttributeRef a, ByteSource& s) {
  using Kind = AttributeRef::Kind;
  switch (a.kind) {
    case Kind::integer: as<std::int64_t>(a) = draw_integer(s); return;
    case Kind::floating: as<double>(a) = draw_number(s); return;
    case Kind::boolean: as<bool>(a) = s.once_in(2); return;
    case Kind::shape: as<Shape>(a) = draw_attribute_shape(s, as<Shape>(a)); return;
    case Kind::scalar: as<Scalar>(a) = draw_scalar(s); return;
    case Kind::string: as<std::string>(a) = draw_string(s); return;
    case Kind::dtype: as<DType>(a) = draw_dtype(s); return;
    case Kind::optional_integer:
      return draw_optional<std::int64_t>(a, s, [&] { return draw_integer(s); });
    case Kind::optional_floating:
      return draw_optional<double>(a, s, [&] { return draw_number(s); });
    case Kind::optional_shape:
      return draw_optional<Shape>(a, s, [&] {
        return draw_attribute_shape(s, as<std::optional<Shape>>(a).value_or(Shape{1}));
      });
    case Kind::optional_scalar: return draw_optional<Scalar>(a, s, [&] { return draw_scalar(s); });
    case Kind::optional_dtype: return draw_optional<DType>(a, s, [&] { return draw_dtype(s); });
    case Kind::opaque: return;
  }
}

std::shared_ptr<void> copy_attributes(const OpDescriptor& op, const void* from) {
  const std::align_val_t align{op.align};
  void* const memory = ::operator new(op.size, align);
  op.copy(memory, from);
  return {memory, [&op, align](void* p) {
            op.end(p);
            ::operator delete(p, align);
          }};
}

void change_attributes(OpCall& call, ByteSource& s) {
  std::vector<AttributeRef> all;
  call.op->fields(
      call.attributes.get(),
      [](void* context, std::string_view, AttributeRef a) {
        static_cast<std::vector<AttributeRef>*>(context)->push_back(a);
      },
      &all);
  if (!all.empty()) change_attribute(all[s.below(all.size())], s);
}

/// Returns a tensor of small numbers, among which are negative ones, NaN and extremes.
Tensor draw_tensor(ByteSource& s, const Shape& shape, DType dtype) {
  Tensor wide = empty(shape, {.dtype = DType::f64});
  const auto values = wide.mutable_data<double>();
  const bool extreme = s.once_in(4);
  for (double& v : values)
    v = extreme && s.once_in(3) ? draw_number(s) : static_cast<double>(s.below(33)) / 4 - 2;
  return wide.to(dtype);
}

void change_shape(Tensor& x, ByteSource& s) {
  Shape shape = x.shape();
  const std::size_t how = s.below(4);
  if (how == 0 && !shape.empty())
    shape.erase(s.below(shape.size()));
  else if (how == 1 && shape.size() < 7)
    shape.insert(s.below(shape.size() + 1), draw_size(s));
  else if (how == 2 || shape.empty())
    shape = draw_shape(s, 5);
  else
    shape[s.below(shape.size())] = draw_size(s);
  if (shape.numel() <= 1 << 10) x = draw_tensor(s, shape, x.dtype());
}

void change_input(OpCall& call, ByteSource& s) {
  if (call.ins.empty()) return;
  Tensor& x = call.ins[s.below(call.ins.size())];
  if (!x.defined()) {
    x = draw_tensor(s, draw_shape(s, 4), draw_dtype(s));
    return;
  }
  switch (s.below(8)) {
    case 0:
    case 1: change_shape(x, s); return;
    case 2: x = draw_tensor(s, x.shape(), x.dtype()); return;
    case 3: x = x.to(draw_dtype(s)); return;
    case 4: x = Tensor(); return;
    case 5: x = call.ins[s.below(call.ins.size())]; return;
    case 6: x = empty(x.shape(), {.dtype = x.dtype(), .device = Device::meta()}); return;
    default: {
      const std::vector<optest::Variant> layouts = optest::variants();
      const Tensor other =
          x.device().is_meta() ? Tensor() : optest::relaid(x, layouts[s.below(layouts.size())]);
      if (other.defined()) x = other;
    }
  }
}

}  // namespace

OpCall draw_call(ByteSource& s) {
  const std::vector<OpCase>& cases = optest::all_cases();
  const OpCase& c = cases[s.below(cases.size())];
  const std::vector<DType> dtypes = c.dtypes();
  const DType dtype = s.once_in(2) ? dtypes[s.below(dtypes.size())] : dtypes[0];
  OpCall call{c.op, copy_attributes(*c.op, c.sample.attributes.get()),
              optest::draw(c.sample, dtype, static_cast<unsigned>(s.byte()))};
  for (std::size_t changes = s.below(5); changes > 0; --changes) {
    if (s.once_in(2))
      change_attributes(call, s);
    else
      change_input(call, s);
  }
  return call;
}

}  // namespace taper::fuzz
