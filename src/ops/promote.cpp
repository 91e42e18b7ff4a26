#include "ops/promote.h"

#include <algorithm>

namespace taper {
namespace {

struct DTypeGroup {
  DType dtype = DType::bool_;
  bool has_members = false;
  void add(DType t) {
    dtype = has_members ? promote_types(dtype, t) : t;
    has_members = true;
  }
};

DTypeGroup promote_groups(DTypeGroup higher, DTypeGroup lower) {
  if (!higher.has_members) return lower;
  if (!lower.has_members || is_floating_point(higher.dtype)) return higher;
  if (higher.dtype == DType::bool_ || is_floating_point(lower.dtype)) higher.add(lower.dtype);
  return higher;
}

}  // namespace

DType result_type(std::span<const OpInput> ins) {
  DTypeGroup with_dims, zero_dim, numbers;
  for (const OpInput& in : ins) {
    if (const TensorImpl* t = in.impl())
      (t->shape.empty() ? zero_dim : with_dims).add(t->dtype);
    else if (in.scalar)
      numbers.add(in.scalar->is_floating() ? default_dtype() : in.scalar->dtype());
  }
  return promote_groups(with_dims, promote_groups(zero_dim, numbers)).dtype;
}

void broadcast_into(Shape& a, const Shape& b, std::string_view op) {
  const Shape before = a;
  if (b.size() > a.size()) {
    a = Shape::filled(b.size(), 1);
    std::copy(before.begin(), before.end(), a.end() - static_cast<std::ptrdiff_t>(before.size()));
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::int64_t& d = a[a.size() - 1 - i];
    const std::int64_t e = b[b.size() - 1 - i];
    if (d == e || e == 1) continue;
    if (d != 1)
      fail<ShapeError>(
          "{}: The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
          "dimension {}: got shapes {} and {}",
          op, d, e, a.size() - 1 - i, before, b);
    d = e;
  }
}

}  // namespace taper
