// Kernels applied to copies of their operands, in another dtype or in row-major order.
#include <algorithm>
#include <memory>
#include <vector>

#include "core/dtype_table.h"
#include "cpu/scratch.h"
#include "ops/copy/copy_kernel.h"
#include "ops/op.h"

namespace taper {
namespace {

bool is_half(const View& v) { return v.shape && v.data && is_reduced_floating_point(v.dtype); }

/// Copies of views.
class OperandCopies {
 public:
  OperandCopies() = default;
  ~OperandCopies() {
    while (!blocks_.empty()) blocks_.pop_back();  // scratch memory is released in stack order
  }
  OperandCopies(const OperandCopies&) = delete;
  OperandCopies& operator=(const OperandCopies&) = delete;

  /// Returns a view of the same shape in uninitialized memory, in row-major order.
  View make_row_major(const View& v, DType dtype) {
    row_major_.push_back(std::make_unique<Shape>(contiguous_strides(*v.shape)));
    return make(v, dtype, row_major_.back().get());
  }
  /// As make_row_major, with the strides of `v` if its elements have no gaps.
  View make_dense(const View& v, DType dtype) {
    return kernel::same_dense_layout(v, v) ? make(v, dtype, v.strides) : make_row_major(v, dtype);
  }

 private:
  View make(const View& v, DType dtype, const Shape* strides) {
    blocks_.push_back(
        std::make_unique<cpu::Scratch>(static_cast<std::size_t>(v.numel) * size_of(dtype)));
    return {blocks_.back()->as<std::byte>(), v.shape, strides, v.numel, dtype, nullptr};
  }

  std::vector<std::unique_ptr<cpu::Scratch>> blocks_;
  std::vector<std::unique_ptr<Shape>> row_major_;
};

void copy_view(const View& to, const View& from) {
  if (!kernel::copy_fast(to, from)) kernel::copy_elements(to, from);
}

}  // namespace

bool run_on_row_major(bool (*kernel)(const void* attributes, const KernelArgs&),
                      const void* attributes, const KernelArgs& args) {
  const auto is_copied = [&](const View& v) {
    // In place, the output is the memory of the input.
    const auto is_memory_of = [&](const View& out) { return out.data == v.data; };
    return v.shape && v.data && !is_contiguous(v) &&
           std::none_of(args.out.begin(), args.out.end(), is_memory_of);
  };
  // Expanded views may have far more elements than memory.
  constexpr std::int64_t kAlwaysCopied = 1 << 16;
  std::int64_t copied = 0, others = 0;
  for (const View& v : args.in)
    if (v.shape) (is_copied(v) ? copied : others) += v.numel;
  for (const View& v : args.out)
    if (v.shape) others += v.numel;
  if (copied == 0 || copied > kAlwaysCopied + 2 * others) return false;
  OperandCopies copies;
  std::vector<View> in(args.in.begin(), args.in.end());
  for (View& v : in)
    if (is_copied(v)) {
      const View copy = copies.make_row_major(v, v.dtype);
      copy_view(copy, v);
      v = copy;
    }
  return kernel(attributes, {in, args.out, args.compute});
}

bool run_half_in_f32(bool (*kernel)(const void* attributes, const KernelArgs&),
                     const void* attributes, const KernelArgs& args) {
  OperandCopies copies;
  std::vector<View> in(args.in.begin(), args.in.end()), out(args.out.begin(), args.out.end());
  bool has_copies = false;
  for (View& v : in)
    if (is_half(v)) {
      const View copy = copies.make_dense(v, DType::f32);
      if (v.numel > 0) copy_view(copy, v);
      v = copy, has_copies = true;
    }
  for (View& v : out)
    if (is_half(v)) v = copies.make_dense(v, DType::f32), has_copies = true;
  const DType compute = is_reduced_floating_point(args.compute) ? DType::f32 : args.compute;
  if (!has_copies || !kernel(attributes, {in, out, compute})) return false;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (is_half(args.out[i]) && args.out[i].numel > 0) copy_view(args.out[i], out[i]);
  return true;
}

}  // namespace taper
