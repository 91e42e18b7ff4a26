// Kernels for f32 applied to operands in f16 and bf16.
#include <memory>
#include <vector>

#include "core/dtype_table.h"
#include "cpu/scratch.h"
#include "ops/copy/copy_kernel.h"
#include "ops/op.h"

namespace taper {
namespace {

bool is_half(const View& v) { return v.shape && v.data && is_reduced_floating_point(v.dtype); }

/// Copies of views in f32.
class FloatCopies {
 public:
  FloatCopies() = default;
  ~FloatCopies() {
    while (!blocks_.empty()) blocks_.pop_back();  // scratch memory is released in stack order
  }
  FloatCopies(const FloatCopies&) = delete;
  FloatCopies& operator=(const FloatCopies&) = delete;

  /// Returns a view of the same shape in uninitialized memory, with the strides of `v` if its
  /// elements have no gaps, otherwise in row-major order.
  View make(const View& v) {
    blocks_.push_back(
        std::make_unique<cpu::Scratch>(static_cast<std::size_t>(v.numel) * sizeof(float)));
    View copy{blocks_.back()->as<std::byte>(), v.shape, v.strides, v.numel, DType::f32, nullptr};
    if (!kernel::same_dense_layout(v, v)) {
      row_major_.push_back(std::make_unique<Shape>(contiguous_strides(*v.shape)));
      copy.strides = row_major_.back().get();
    }
    return copy;
  }

 private:
  std::vector<std::unique_ptr<cpu::Scratch>> blocks_;
  std::vector<std::unique_ptr<Shape>> row_major_;
};

void copy_view(const View& to, const View& from) {
  if (!kernel::copy_fast(to, from)) kernel::copy_elements(to, from);
}

}  // namespace

bool run_half_in_f32(bool (*kernel)(const void* attributes, const KernelArgs&),
                     const void* attributes, const KernelArgs& args) {
  FloatCopies copies;
  std::vector<View> in(args.in.begin(), args.in.end()), out(args.out.begin(), args.out.end());
  bool has_copies = false;
  for (View& v : in)
    if (is_half(v)) {
      const View copy = copies.make(v);
      if (v.numel > 0) copy_view(copy, v);
      v = copy, has_copies = true;
    }
  for (View& v : out)
    if (is_half(v)) v = copies.make(v), has_copies = true;
  const DType compute = is_reduced_floating_point(args.compute) ? DType::f32 : args.compute;
  if (!has_copies || !kernel(attributes, {in, out, compute})) return false;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (is_half(args.out[i]) && args.out[i].numel > 0) copy_view(args.out[i], out[i]);
  return true;
}

}  // namespace taper
