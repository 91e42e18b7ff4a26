#include "ops/view/slices.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "ops/copy/copy_kernel.h"
#include "ops/forms.h"
#include "ops/kernel/reference.h"

namespace taper {

template <> void reference_kernel(const ScatterStrided& o, const KernelArgs& k) {
  const View &g = k.in[0], &to = k.out[0];
  const std::int64_t size = kernel::element_size(to), step = (*to.strides)[0] * size;
  for (std::int64_t i = 0; i < o.extent; ++i) kernel::store(to.data + i * step, to.dtype, 0.0);
  View target_view{nullptr, g.shape, &o.stride, g.numel, to.dtype, nullptr};
  kernel::walk(*g.shape, std::array<const View*, 2>{&g, &target_view},
               [&](const std::array<std::int64_t, 2>& at) {
                 std::byte* p = to.data + o.offset * step + at[1] / size * step;
                 kernel::in_compute_type(to.dtype, [&]<class T>(T) {
                   kernel::store(p, to.dtype,
                                 static_cast<T>(kernel::load<T>(p, to.dtype) +
                                                kernel::load<T>(g.data + at[0], g.dtype)));
                 });
               });
}

namespace {

/// Returns true if no two elements of a view are at the same position.
bool has_distinct_positions(const Shape& sizes, const Shape& strides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // stride and size
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1) dims.emplace_back(strides[d], sizes[d]);
  std::sort(dims.begin(), dims.end());
  std::int64_t extent = 1;  // of the dimensions with smaller strides
  for (const auto& [stride, size] : dims) {
    if (stride < extent) return false;
    extent += (size - 1) * stride;
  }
  return true;
}

template <class T> void add_strided(const View& to, const View& g) {
  kernel::walk(
      *g.shape, std::array<const View*, 2>{&g, &to}, [&](const std::array<std::int64_t, 2>& at) {
        *reinterpret_cast<T*>(to.data + at[1]) += *reinterpret_cast<const T*>(g.data + at[0]);
      });
}

}  // namespace

template <> bool cpu_kernel(const ScatterStrided& o, const KernelArgs& k) {
  const View &g = k.in[0], &out = k.out[0];
  if (g.numel == 0 || g.dtype != out.dtype || !is_contiguous(out)) return false;
  const bool copies = has_distinct_positions(*g.shape, o.stride);
  if (!copies && g.dtype != DType::f32 && g.dtype != DType::f64) return false;
  std::memset(out.data, 0, static_cast<std::size_t>(out.numel) * size_of(out.dtype));
  const View to{out.data + o.offset * kernel::element_size(out),
                g.shape,
                &o.stride,
                g.numel,
                out.dtype,
                nullptr};
  if (copies && !kernel::copy_fast(to, g))
    kernel::copy_elements(to, g);
  else if (!copies)
    g.dtype == DType::f32 ? add_strided<float>(to, g) : add_strided<double>(to, g);
  return true;
}

TAPER_DEFINE_OP(select, Select);
TAPER_DEFINE_OP(slice, SliceOp);
TAPER_DEFINE_OP(scatter_strided, ScatterStrided);
TAPER_DEFINE_OP(as_strided, AsStrided);

namespace ops {
Tensor ViewMethods::select(IntArg dim, IntArg index) const {
  return run(Select{dim, index}, self_of(this));
}
Tensor ViewMethods::slice(IntArg dim, std::optional<IntArg> start, std::optional<IntArg> end,
                          IntArg step) const {
  return run(SliceOp{dim, start, end, step}, self_of(this));
}
Tensor ViewMethods::narrow(IntArg dim, IntArg start, IntArg length) const {
  const Tensor& self = self_of(this);
  if (self.dim() == 0) fail<IndexError>("narrow: narrow() cannot be applied to a 0-dim tensor");
  if (length < 0) fail<ValueError>("narrow: length must be non-negative: got {}", length);
  const std::int64_t n = self.size(dim);
  if (start < -n || start > n)
    fail<IndexError>("narrow: start out of range (expected to be in range of [{}, {}], but got {})",
                     -n, n, start);
  const std::int64_t from = clip_bound(start, n);
  if (from > n - length)
    fail<IndexError>("narrow: start ({}) + length ({}) exceeds dimension size ({})", from, length,
                     n);
  return slice(dim, from, from + length);
}
Tensor ViewMethods::narrow(IntArg dim, const Tensor& start, IntArg length) const {
  if (start.dim() != 0 || is_floating_point(start.dtype()) || start.dtype() == DType::bool_)
    fail<ValueError>("narrow: start must be an 0-dim integral Tensor: got shape {} and dtype {}",
                     start.shape(), start.dtype());
  return narrow(dim, start.item<std::int64_t>(), length);
}
Tensor ViewMethods::as_strided(const Shape& size, const Shape& stride,
                               std::optional<IntArg> storage_offset) const {
  const Tensor& self = self_of(this);
  const TensorImpl& t = impl(self);
  return run(AsStrided{size, stride, storage_offset, t.strides, t.offset}, self);
}

std::vector<Tensor> ViewMethods::split(std::int64_t split_size, IntArg dim) const {
  const Tensor& self = self_of(this);
  if (split_size < 0)
    fail<ValueError>("split: expects split_size be non-negative, but got split_size={}",
                     split_size);
  const std::int64_t n = self.size(dim);
  if (split_size == 0 && n != 0)
    fail<ValueError>(
        "split: split_size can only be 0 if dimension size is 0, but got dimension size of {}", n);
  std::vector<Tensor> parts;
  if (n == 0) return {self};
  for (std::int64_t at = 0; at < n; at += split_size)
    parts.push_back(slice(dim, at, std::min(at + split_size, n)));
  return parts;
}
std::vector<Tensor> ViewMethods::split(const Shape& sizes, IntArg dim) const {
  const Tensor& self = self_of(this);
  const std::int64_t n = self.size(dim);
  std::int64_t total = 0;
  bool overflow = false;
  for (std::int64_t s : sizes) {
    if (s < 0)
      fail<ValueError>("split: expects split_sizes have only non-negative entries, but got {}",
                       sizes);
    overflow |= __builtin_add_overflow(total, s, &total);
  }
  if (overflow || total != n)
    fail<ShapeError>(
        "split: expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), "
        "but got split_sizes={}",
        n, dim, sizes);
  std::vector<Tensor> parts;
  std::int64_t at = 0;
  for (std::int64_t s : sizes) {
    parts.push_back(slice(dim, at, at + s));
    at += s;
  }
  return parts;
}
std::vector<Tensor> ViewMethods::chunk(IntArg chunks, IntArg dim) const {
  if (chunks <= 0)
    fail<ValueError>("chunk: expects `chunks` to be greater than 0, got: {}", chunks);
  const std::int64_t n = self_of(this).size(dim);
  if (n > 0) return split((n - 1) / chunks + 1, dim);
  // An empty dimension has the requested number of chunks, unlike one that is too short.
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < chunks; ++i) parts.push_back(slice(dim, 0, 0));
  return parts;
}
std::vector<Tensor> ViewMethods::unbind(IntArg dim) const {
  std::vector<Tensor> parts;
  const std::int64_t n = self_of(this).size(dim);
  for (std::int64_t i = 0; i < n; ++i) parts.push_back(select(dim, i));
  return parts;
}
}  // namespace ops

std::vector<Tensor> split(const Tensor& x, std::int64_t size, IntArg dim) {
  return x.split(size, dim);
}
std::vector<Tensor> chunk(const Tensor& x, IntArg chunks, IntArg dim) {
  return x.chunk(chunks, dim);
}

}  // namespace taper
