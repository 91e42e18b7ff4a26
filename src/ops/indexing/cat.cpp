#include "ops/indexing/cat.h"

#include "ops/copy/copy_kernel.h"
#include "ops/kernel/element.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Returns true for the shape of an empty 1-dim tensor, which cat ignores, as in PyTorch.
bool should_skip(const Shape& s) { return s.size() == 1 && s[0] == 0; }

std::size_t dim_of(std::int64_t dim, std::size_t rank, std::string_view op) {
  return static_cast<std::size_t>(wrap_dim(dim, rank, op));
}

/// Part of the output that one input fills: indices [at, at + size) of dimension d.
struct OutputSlice {
  View view;
  Shape shape;
};
void narrow(OutputSlice& p, const View& out, std::size_t d, std::int64_t at, std::int64_t size) {
  p.view = out;
  p.shape = *out.shape;
  p.shape[d] = size;
  p.view.shape = &p.shape;
  p.view.numel = p.shape.numel();
  p.view.data += at * (*out.strides)[d] * kernel::element_size(out);
}

template <class CopyInto> void cat_inputs(const Cat& o, const KernelArgs& k, CopyInto&& copy) {
  const View& out = k.out[0];
  const std::size_t d = dim_of(o.dim, out.shape->size(), "cat");
  std::int64_t at = 0;
  for (const View& in : k.in) {
    if (in.shape->size() != out.shape->size()) continue;
    OutputSlice output_slice;
    narrow(output_slice, out, d, at, (*in.shape)[d]);
    at += (*in.shape)[d];
    if (output_slice.view.numel != 0) copy(output_slice.view, in);
  }
}

template <class CopyInto> void stack_inputs(const Stack& o, const KernelArgs& k, CopyInto&& copy) {
  const View& out = k.out[0];
  const std::size_t d = dim_of(o.dim, out.shape->size(), "stack");
  Shape strides = *out.strides;
  strides.erase(d);
  const std::int64_t step = (*out.strides)[d] * kernel::element_size(out);
  View output_slice = out;
  output_slice.strides = &strides;
  for (std::size_t i = 0; i < k.in.size(); ++i) {
    output_slice.shape = k.in[i].shape;
    output_slice.numel = k.in[i].numel;
    output_slice.data = out.data + static_cast<std::int64_t>(i) * step;
    if (output_slice.numel != 0) copy(output_slice, k.in[i]);
  }
}

void copy_view(const View& to, const View& from) {
  if (!kernel::copy_fast(to, from)) kernel::copy_elements(to, from);
}

}  // namespace

void Cat::infer(ShapeInference& i) const {
  if (i.ins.empty()) i.fail<ValueError>("expected a non-empty list of Tensors");
  const Shape* first = nullptr;
  bool any_channels_last = false;
  for (std::size_t n = 0; n < i.ins.size(); ++n) {
    const TensorImpl& t = i.tensor(static_cast<int>(n));
    if (t.shape.empty())
      i.fail("zero-dimensional tensor (at position {}) cannot be concatenated", n);
    if (!should_skip(t.shape) && !first) first = &t.shape;
    any_channels_last |= is_channels_last(t);
  }
  if (!first) {
    wrap_dim(dim, 1, op.function());
    return i.set_output({0}, i.common);
  }
  const std::size_t d = dim_of(dim, first->size(), op.function());
  Shape result = *first;
  result[d] = 0;
  for (std::size_t n = 0; n < i.ins.size(); ++n) {
    const Shape& s = i.shape(static_cast<int>(n));
    if (should_skip(s) && first->size() != 1) continue;
    if (s.size() != first->size())
      i.fail("Tensors must have same number of dimensions: got {} and {} (shapes {} and {})",
             first->size(), s.size(), *first, s);
    for (std::size_t e = 0; e < s.size(); ++e)
      if (e != d && s[e] != (*first)[e])
        i.fail(
            "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} "
            "for tensor number {} in the list (shapes {} and {})",
            d, (*first)[e], s[e], n, *first, s);
    if (__builtin_add_overflow(result[d], s[d], &result[d]))
      i.fail("the size of dimension {} exceeds 2^63 - 1", d);
  }
  i.set_output(result, i.common);
  i.outs[0].channels_last = any_channels_last && result.size() >= 3;
}

void Cat::backward(BackwardContext<Cat>& b) const {
  const std::size_t rank = b.output_meta(0).shape.size();
  const std::size_t d = dim_of(dim, rank, op.function());
  std::int64_t at = 0;
  for (int n = 0; n < b.num_inputs(); ++n) {
    const Shape& s = b.input_meta(n).shape;
    if (s.size() != rank) {
      if (b.needs_input_grad(n))
        b[n] = zeros(s, {.dtype = b.input_meta(n).dtype, .device = b.grad().device()});
      continue;
    }
    if (b.needs_input_grad(n)) b[n] = b.grad().slice(static_cast<std::int64_t>(d), at, at + s[d]);
    at += s[d];
  }
}

void Stack::infer(ShapeInference& i) const {
  if (i.ins.empty()) i.fail<ValueError>("expects a non-empty TensorList");
  const Shape& first = i.shape(0);
  for (std::size_t n = 1; n < i.ins.size(); ++n)
    if (!(i.shape(static_cast<int>(n)) == first))
      i.fail("expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
             first, i.shape(static_cast<int>(n)), n);
  Shape result = first;
  result.insert(dim_of(dim, first.size() + 1, op.function()),
                static_cast<std::int64_t>(i.ins.size()));
  i.set_output(result, i.common);
}

void Stack::backward(BackwardContext<Stack>& b) const {
  for (int n = 0; n < b.num_inputs(); ++n)
    if (b.needs_input_grad(n)) b[n] = b.grad().select(dim, n);
}

template <> void reference_kernel(const Cat& o, const KernelArgs& k) {
  cat_inputs(o, k, kernel::copy_elements);
}
template <> bool cpu_kernel(const Cat& o, const KernelArgs& k) {
  cat_inputs(o, k, copy_view);
  return true;
}
template <> void reference_kernel(const Stack& o, const KernelArgs& k) {
  stack_inputs(o, k, kernel::copy_elements);
}
template <> bool cpu_kernel(const Stack& o, const KernelArgs& k) {
  stack_inputs(o, k, copy_view);
  return true;
}

TAPER_DEFINE_OP(cat, Cat);
TAPER_DEFINE_OP(stack, Stack);

Tensor cat(std::span<const Tensor> tensors, IntArg dim) { return run_list(Cat{dim}, tensors); }
Tensor cat(std::initializer_list<Tensor> tensors, IntArg dim) {
  return run_list(Cat{dim}, {tensors.begin(), tensors.size()});
}
Tensor stack(std::span<const Tensor> tensors, IntArg dim) { return run_list(Stack{dim}, tensors); }
Tensor stack(std::initializer_list<Tensor> tensors, IntArg dim) {
  return run_list(Stack{dim}, {tensors.begin(), tensors.size()});
}

}  // namespace taper
