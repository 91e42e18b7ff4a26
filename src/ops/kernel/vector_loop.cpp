#include "ops/kernel/vector_loop.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cpu/stream.h"
#include "cpu/threads.h"
#include "ops/kernel/element.h"
#include "ops/kernel/elementwise_call.h"
#include "ops/kernel/staging.h"

namespace taper::kernel {
namespace {

constexpr std::int64_t kBlock = 512;           // elements staged at a time: 4 KiB of doubles
constexpr std::int64_t kStreamedBlock = 1024;  // elements computed in the cache at a time
constexpr std::int64_t kLongRow = 128;  // rows of at least this length are not split across blocks
constexpr std::int64_t kShortestRow = 16;  // shorter rows are copied to blocks of several rows

void load_constant(const View& v, const ElementwiseCall& p, bool round_values, void* to,
                   std::int64_t n) {
  load_block(to, p.number, v.data, v.dtype, {});
  if (round_values) round_block(to, p.number, p.compute, 1);
  fill_with_first(to, p.number, n);
}

/// Returns true if the output fills its memory without gaps, in any order of dimensions.
bool is_dense(const View& out) { return extent_of(out) == out.numel; }

bool has_same_layout(const View& v, const View& out) {
  const std::size_t rank = out.shape->size();
  if (v.shape->size() != rank) return false;
  const std::int64_t *const view_strides = v.strides->data(), *const out_strides =
                                                                  out.strides->data();
  for (std::size_t d = 0; d < rank; ++d)
    if (view_strides[d] != out_strides[d] && (*out.shape)[d] != 1) return false;
  return true;
}

bool is_constant(const View& v) {
  for (std::size_t d = 0; d < v.strides->size(); ++d)
    if ((*v.strides)[d] != 0 && (*v.shape)[d] != 1) return false;
  return true;
}

/// Returns true if the output is large enough to bypass the cache. An output that overwrites an
/// input is in the cache already.
bool should_stream(const ElementwiseCall& p, const KernelArgs& k) {
  const View& out = k.out[0];
  if (static_cast<std::size_t>(p.numel) * size_of(out.dtype) < cpu::kMinStreamedBytes) return false;
  return std::none_of(k.in.begin(), k.in.end(),
                      [&](const View& v) { return v.shape && v.data == out.data; });
}

/// Fast path for a dense output and operands of the block's type that are single numbers or have
/// the layout of the output. Returns false if it does not apply.
bool run_dense(const ElementwiseCall& p, bool exact, const KernelArgs& k) {
  const View& out = k.out[0];
  if (out.dtype != p.result_dtype || !is_dense(out)) return false;
  std::array<bool, kMaxIns> constant{};
  bool any_constant = false;
  for (std::size_t i = 0; i < p.ins; ++i) {
    const View& v = k.in[i];
    if (!v.shape || (v.dtype == p.block && has_same_layout(v, out))) continue;
    if (!is_constant(v)) return false;
    constant[i] = any_constant = true;
  }
  const bool has_number = p.number_loop && constant[1] && !constant[0];
  if (any_constant && !has_number && p.number != p.block) return false;
  const Loop loop = has_number ? p.number_loop : p.loop;
  alignas(64) double blocks[kMaxIns][kBlock];
  for (std::size_t i = 0; i < p.ins; ++i)
    if (constant[i])
      load_constant(k.in[i], p, needs_rounding(k.in[i].dtype, p.compute, exact), blocks[i],
                    has_number ? 1 : std::min(kBlock, p.numel));
  const bool streams = should_stream(p, k);
  cpu::parallel_for(0, p.numel, p.grain, [&](std::int64_t b, std::int64_t e) {
    const auto from = static_cast<std::int64_t>(size_of(p.block));
    const auto to = static_cast<std::int64_t>(size_of(p.result_dtype));
    const std::int64_t step = any_constant && !has_number ? kBlock
                              : streams                   ? kStreamedBlock
                                                          : e - b;
    alignas(64) double streamed[kStreamedBlock];
    for (std::int64_t at = b; at < e; at += step) {
      const void* in[kMaxIns] = {};
      for (std::size_t i = 0; i < p.ins; ++i)
        if (constant[i])
          in[i] = blocks[i];
        else if (k.in[i].shape)
          in[i] = k.in[i].data + at * from;
      const auto count = static_cast<std::size_t>(std::min(step, e - at));
      std::byte* const result = out.data + at * to;
      loop(p.attributes, in, streams ? static_cast<void*>(streamed) : result, count);
      if (streams) cpu::stream_copy(result, streamed, count * static_cast<std::size_t>(to));
    }
    if (streams) cpu::finish_stream_copies();
  });
  return true;
}

/// Position in the iteration over the sorted and merged dimensions.
struct Cursor {
  const ElementwiseCall& p;
  std::array<std::int64_t, kMaxDims> index;

  Cursor(const ElementwiseCall& elementwise_call, std::int64_t at) : p(elementwise_call) {
    for (std::size_t d = p.rank; d-- > 0; at /= p.sizes[d]) index[d] = at % p.sizes[d];
  }
  std::int64_t remaining_in_row() const { return p.sizes[p.rank - 1] - index[p.rank - 1]; }
  void advance(std::int64_t n) {
    for (std::size_t d = p.rank; n > 0 && d-- > 0;) {
      n += index[d];
      index[d] = n < p.sizes[d] ? n : n % p.sizes[d];
      n /= p.sizes[d];
    }
  }
  std::byte* address(const Operand& o) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < p.rank; ++d) at += index[d] * o.strides[d];
    return o.data + at * o.size;
  }
  /// Calls f(address, block) for the strided blocks that the next n elements of an operand consist
  /// of: as many whole rows as possible, otherwise parts of a row.
  template <class F> void for_each_block(const Operand& o, std::int64_t n, F&& f) const {
    Cursor position = *this;
    const std::size_t last = p.rank - 1;
    const std::int64_t row = p.sizes[last];
    while (n > 0) {
      StridedBlock r{1, std::min(n, position.remaining_in_row()), 0, o.strides[last]};
      if (p.rank > 1 && position.index[last] == 0 && n >= row) {
        r.rows = std::min(n / row, p.sizes[last - 1] - position.index[last - 1]);
        r.row_stride = o.strides[last - 1];
      }
      f(position.address(o), r);
      n -= r.rows * r.row_size;
      position.advance(r.rows * r.row_size);
    }
  }
};

void run_blocks(const ElementwiseCall& p, std::int64_t begin, std::int64_t end) {
  alignas(64) double blocks[kMaxOperands][kBlock];
  const Operand& out = p.operands[p.ins];
  const auto block_size = static_cast<std::int64_t>(size_of(p.block));
  for (std::size_t i = 0; i < p.ins; ++i) {
    const Operand& o = p.operands[i];
    if (!o.constant || !o.data) continue;
    load_block(blocks[i], p.block, o.data, o.dtype, {});
    if (o.round_values) round_block(blocks[i], p.block, p.compute, 1);
    fill_with_first(blocks[i], p.block, std::min(kBlock, end - begin));
  }
  Cursor cursor(p, begin);
  const bool long_rows = p.sizes[p.rank - 1] >= kLongRow;
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t remaining = cursor.remaining_in_row();
    std::int64_t n = std::min(kBlock, end - at);
    if (long_rows) n = std::min(n, remaining);
    const bool one_row = n <= remaining;
    // The second operand has the same value in the whole row.
    const bool has_number = p.number_loop && one_row && p.operands[1].data &&
                            p.operands[1].strides[p.rank - 1] == 0 &&
                            p.operands[0].strides[p.rank - 1] != 0;
    const Loop loop = has_number ? p.number_loop : p.loop;
    const void* in[kMaxIns] = {};
    for (std::size_t i = 0; i < p.ins; ++i) {
      const Operand& o = p.operands[i];
      if (!o.data) continue;
      in[i] = blocks[i];
      if (o.constant) continue;
      if (has_number && i == 1) {
        load_block(blocks[i], p.number, cursor.address(o), o.dtype, {});
        if (o.round_values) round_block(blocks[i], p.number, p.compute, 1);
      } else if (o.direct && o.linear) {
        in[i] = o.data + at * o.size;
      } else if (o.direct && one_row && o.strides[p.rank - 1] == 1) {
        in[i] = cursor.address(o);
      } else {
        auto* to = reinterpret_cast<std::byte*>(blocks[i]);
        cursor.for_each_block(o, n, [&](const std::byte* from, const StridedBlock& r) {
          load_block(to, p.block, from, o.dtype, r);
          to += r.rows * r.row_size * block_size;
        });
        if (o.round_values) round_block(blocks[i], p.block, p.compute, n);
      }
    }
    const auto count = static_cast<std::size_t>(n);
    if (out.direct && out.linear) {
      loop(p.attributes, in, out.data + at * out.size, count);
    } else if (out.direct && one_row && out.strides[p.rank - 1] == 1) {
      loop(p.attributes, in, cursor.address(out), count);
    } else {
      loop(p.attributes, in, blocks[p.ins], count);
      auto* from = reinterpret_cast<const std::byte*>(blocks[p.ins]);
      cursor.for_each_block(out, n, [&](std::byte* to, const StridedBlock& r) {
        store_block(to, out.dtype, from, p.result_dtype, r);
        from += r.rows * r.row_size * static_cast<std::int64_t>(size_of(p.result_dtype));
      });
    }
    at += n;
    cursor.advance(n);
  }
}

/// Fast path for rows of the block's type that are stored without gaps, or whose second operand is
/// one number per row. Returns false if it does not apply.
bool run_rows(const ElementwiseCall& p) {
  if (p.rank < 2) return false;
  const std::size_t last = p.rank - 1;
  const std::int64_t row = p.sizes[last];
  if (row < kShortestRow || row > p.grain) return false;
  const bool has_number = p.number_loop && p.ins == 2 && p.operands[1].strides[last] == 0;
  for (std::size_t i = 0; i <= p.ins; ++i) {
    const Operand& o = p.operands[i];
    if (!o.data) continue;
    if (!o.direct || o.round_values || o.strides[last] != (has_number && i == 1 ? 0 : 1))
      return false;
  }
  const Loop loop = has_number ? p.number_loop : p.loop;
  cpu::parallel_for(0, p.numel / row, p.grain / row, [&](std::int64_t begin, std::int64_t end) {
    std::array<std::int64_t, kMaxDims> index{};
    std::array<std::byte*, kMaxOperands> at{};
    const auto move = [&](std::size_t d, std::int64_t steps) {
      for (std::size_t i = 0; i <= p.ins; ++i)
        if (at[i]) at[i] += steps * p.operands[i].strides[d] * p.operands[i].size;
    };
    for (std::size_t i = 0; i <= p.ins; ++i) at[i] = p.operands[i].data;
    for (std::int64_t d = static_cast<std::int64_t>(last) - 1, rest = begin; d >= 0; --d) {
      const auto dim = static_cast<std::size_t>(d);
      index[dim] = rest % p.sizes[dim], rest /= p.sizes[dim];
      move(dim, index[dim]);
    }
    for (std::int64_t r = begin; r < end; ++r) {
      const void* in[kMaxIns] = {};
      for (std::size_t i = 0; i < p.ins; ++i) in[i] = at[i];
      loop(p.attributes, in, at[p.ins], static_cast<std::size_t>(row));
      for (std::size_t d = last; d-- > 0;) {
        move(d, 1);
        if (++index[d] < p.sizes[d]) break;
        move(d, -std::exchange(index[d], 0));
      }
    }
  });
  return true;
}

/// Runs the bfloat16 loop on the operands themselves, without converting them to float first.
/// Returns false unless the output is dense and bfloat16, and each input is bfloat16 in the same
/// layout or a single number.
bool run_bfloat16(const LoopTable& loops, const void* attributes, const KernelArgs& k) {
  ElementwiseCall p;
  p.loop = loops.bf16, p.number_loop = loops.bf16_number, p.attributes = attributes;
  p.compute = p.block = p.result_dtype = DType::bf16, p.number = DType::f32;
  p.ins = k.in.size(), p.numel = k.out[0].numel, p.grain = loops.grain;
  return run_dense(p, loops.exact, k);
}

}  // namespace

bool run_elementwise(const LoopTable& loops, const void* attributes, const KernelArgs& k) {
  Loop loop = loops.i64;
  DType block = DType::i64;
  if (k.compute == DType::f64)
    loop = loops.f64, block = DType::f64;
  else if (is_floating_point(k.compute))
    loop = loops.f32, block = DType::f32;
  else if (k.compute == DType::bool_ && loops.b8 &&
           std::all_of(k.in.begin(), k.in.end(),
                       [](const View& v) { return v.dtype == DType::bool_; }))
    loop = loops.b8, block = DType::bool_;
  if (!loop || k.in.size() > kMaxIns) return false;
  const DType result_dtype = loops.returns_bool ? DType::bool_ : block;
  const View& out = k.out[0];
  if (out.numel == 0) return true;
  // Fast path for the most frequent calls, those with small tensors of the same layout.
  bool same_layout = out.dtype == result_dtype && out.numel <= loops.grain && is_dense(out);
  const void* in[kMaxIns];
  for (std::size_t i = 0; same_layout && i < k.in.size(); ++i) {
    const View& v = k.in[i];
    same_layout = v.shape && v.dtype == block && has_same_layout(v, out);
    in[i] = v.data;
  }
  if (same_layout) {
    loop(attributes, in, out.data, static_cast<std::size_t>(out.numel));
    return true;
  }
  if (k.compute == DType::bf16 && loops.bf16 && run_bfloat16(loops, attributes, k)) return true;
  ElementwiseCall p;
  p.loop = loop, p.number_loop = block == DType::f32 ? loops.f32_number : nullptr;
  p.attributes = attributes;
  p.compute = k.compute, p.block = p.number = block, p.result_dtype = result_dtype;
  p.ins = k.in.size(), p.numel = out.numel, p.grain = loops.grain;
  if (run_dense(p, loops.exact, k)) return true;
  if (!sort_dims(p, loops.exact, k)) return false;
  // Only the second operand may be one number per row.
  if (loops.commutes && p.operands[0].strides[p.rank - 1] == 0)
    std::swap(p.operands[0], p.operands[1]);
  if (run_rows(p)) return true;
  cpu::parallel_for(0, p.numel, p.grain,
                    [&](std::int64_t b, std::int64_t e) { run_blocks(p, b, e); });
  return true;
}

}  // namespace taper::kernel
