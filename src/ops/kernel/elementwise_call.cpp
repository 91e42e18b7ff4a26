#include "ops/kernel/elementwise_call.h"

#include "ops/kernel/element.h"

namespace taper::kernel {

bool needs_rounding(DType dtype, DType compute, bool exact) {
  if (dtype == compute) return false;
  if (is_floating_point(compute)) return exact && size_of(compute) == 2;
  return compute != DType::i64;
}

bool sort_dims(ElementwiseCall& p, bool exact, const KernelArgs& k) {
  const View& out = k.out[0];
  std::array<std::size_t, kMaxDims> order;
  std::size_t rank = 0;
  for (std::size_t d = 0; d < out.shape->size(); ++d) {
    if ((*out.shape)[d] == 1) continue;
    if (rank == kMaxDims) return false;
    std::size_t at = rank++;
    for (; at > 0 && (*out.strides)[order[at - 1]] < (*out.strides)[d]; --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  std::array<const Shape*, kMaxOperands> strides{};
  for (std::size_t i = 0; i <= p.ins; ++i) {
    const View& v = i < p.ins ? k.in[i] : out;
    if (!v.shape) continue;
    Operand& o = p.operands[i];
    o.data = v.data, o.dtype = v.dtype, o.size = element_size(v);
    o.direct = v.dtype == (i < p.ins ? p.block : p.result_dtype);
    o.round_values = i < p.ins && needs_rounding(v.dtype, p.compute, exact);
    if (v.shape->size() == out.shape->size()) strides[i] = v.strides;
  }
  const auto stride = [&](std::size_t i, std::size_t d) {
    return strides[i] ? (*strides[i])[d] : std::int64_t{0};
  };
  for (std::size_t n = 0; n < rank; ++n) {
    const std::size_t d = order[n];
    const std::int64_t size = (*out.shape)[d];
    bool merges = p.rank > 0;
    for (std::size_t i = 0; i <= p.ins && merges; ++i)
      merges = !p.operands[i].data || p.operands[i].strides[p.rank - 1] == stride(i, d) * size;
    if (merges)
      p.sizes[p.rank - 1] *= size;
    else
      p.sizes[p.rank++] = size;
    for (std::size_t i = 0; i <= p.ins; ++i) p.operands[i].strides[p.rank - 1] = stride(i, d);
  }
  if (p.rank == 0) {
    p.sizes[p.rank++] = 1;
    for (std::size_t i = 0; i <= p.ins; ++i) p.operands[i].strides[0] = 1;
  }
  for (std::size_t i = 0; i <= p.ins; ++i) {
    Operand& o = p.operands[i];
    std::int64_t step = 1;
    bool linear = true, zero = p.numel > 1;
    for (std::size_t d = p.rank; d-- > 0; step *= p.sizes[d])
      linear &= o.strides[d] == step, zero &= o.strides[d] == 0;
    o.linear = linear, o.constant = zero;
  }
  return true;
}

}  // namespace taper::kernel
