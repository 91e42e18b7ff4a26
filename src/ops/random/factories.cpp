// Factories of tensors with random values.
#include "core/random/fills.h"
#include "core/random/generator_state.h"
#include "ops/kernel/element.h"
#include "ops/promote.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Returns `t` filled by fill(t) without recording, as a leaf.
template <class F> Tensor fill_leaf(Tensor t, bool requires_grad, F&& fill) {
  {
    const NoGrad guard;
    fill(t);
  }
  if (requires_grad) t.set_requires_grad();
  return t;
}

/// Returns `options` without requires_grad, which is set after the fill, because a leaf that
/// requires grad must not be written in place.
TensorOptions without_requires_grad(TensorOptions options) {
  options.requires_grad = false;
  return options;
}

/// Returns `options` with the default dtype i64.
TensorOptions with_default_i64(TensorOptions options) {
  if (!options.dtype) options.dtype = DType::i64;
  return options;
}

void check_std(const Tensor& std) {
  if (!std.is_floating_point())
    fail<DTypeError>("normal: not implemented for this element type: got {}", std.dtype());
  if (std.device().is_meta()) return;
  const Tensor host = std.cpu().contiguous();
  View view;
  Shape scratch;
  resolve(impl(host), LayoutRequest::row_major, view, scratch);
  for (std::int64_t i = 0; i < view.numel; ++i)
    if (const auto s = kernel::load<double>(view.data + i * kernel::element_size(view), view.dtype);
        !(s >= 0))
      fail<ValueError>("normal expects all elements of std >= 0.0, but found std {}", s);
}

}  // namespace

Tensor rand(const Shape& shape, const TensorOptions& options, const Generator& generator) {
  return fill_leaf(empty(shape, without_requires_grad(options)), options.requires_grad,
                   [&](const Tensor& t) { t.uniform_(0, 1, generator); });
}

Tensor rand_like(const Tensor& like, const TensorOptions& options, const Generator& generator,
                 MemoryFormat memory_format) {
  return fill_leaf(empty_like(like, without_requires_grad(options), memory_format),
                   options.requires_grad, [&](const Tensor& t) { t.uniform_(0, 1, generator); });
}

Tensor randn(const Shape& shape, const TensorOptions& options, const Generator& generator) {
  return normal(0, 1, shape, options, generator);
}

Tensor randn_like(const Tensor& like, const TensorOptions& options, const Generator& generator,
                  MemoryFormat memory_format) {
  return fill_leaf(empty_like(like, without_requires_grad(options), memory_format),
                   options.requires_grad, [&](const Tensor& t) { t.normal_(0, 1, generator); });
}

Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
               const TensorOptions& options, const Generator& generator) {
  return fill_leaf(empty(shape, without_requires_grad(with_default_i64(options))),
                   options.requires_grad,
                   [&](const Tensor& t) { t.random_(low, high, generator); });
}

Tensor randint(std::int64_t high, const Shape& shape, const TensorOptions& options,
               const Generator& generator) {
  return randint(0, high, shape, options, generator);
}

Tensor randint_like(const Tensor& like, std::int64_t low, std::int64_t high,
                    const TensorOptions& options, const Generator& generator) {
  return fill_leaf(empty_like(like, without_requires_grad(options)), options.requires_grad,
                   [&](const Tensor& t) { t.random_(low, high, generator); });
}

Tensor randint_like(const Tensor& like, std::int64_t high, const TensorOptions& options,
                    const Generator& generator) {
  return randint_like(like, 0, high, options, generator);
}

Tensor randperm(IntArg n, const TensorOptions& options, const Generator& generator) {
  if (n < 0) fail<ValueError>("randperm: n must be non-negative: got {}", n);
  const DType dtype = options.dtype.value_or(DType::i64);
  if (n > 0 && n - 1 > random::max_exact_integer(dtype))
    fail<ValueError>("randperm: n is too large for the result's type: got {}, {}", n, dtype);
  const Device device = options.device.value_or(get_default_device());
  if (device.is_meta()) return empty({n}, {.dtype = dtype, .device = device});
  Tensor t = new_tensor({n}, dtype, Device::cpu());
  {
    View view;
    Shape scratch;
    resolve(impl(t), LayoutRequest::row_major, view, scratch);
    const random::GeneratorLock from(generator);
    fill_permutation(from.engine, {view.data, dtype, n});
  }
  if (!device.is_cpu()) t = t.to(device);
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

Tensor normal(double mean, double std, const Shape& shape, const TensorOptions& options,
              const Generator& generator) {
  return fill_leaf(empty(shape, without_requires_grad(options)), options.requires_grad,
                   [&](const Tensor& t) { t.normal_(mean, std, generator); });
}

Tensor normal(const Tensor& mean, const Tensor& std, const Generator& generator) {
  const NoGrad guard;
  check_std(std);
  Shape shape = mean.shape();
  broadcast_into(shape, std.shape(), "normal");
  const Tensor t =
      randn(shape, {.dtype = promote_types(mean.dtype(), std.dtype()), .device = mean.device()},
            generator);
  return t.mul_(std).add_(mean);
}

Tensor normal(const Tensor& mean, double std, const Generator& generator) {
  if (!(std >= 0)) fail<ValueError>("normal expects std >= 0.0, but found std {}", std);
  const NoGrad guard;
  const Tensor t = randn(mean.shape(), {.dtype = mean.dtype(), .device = mean.device()}, generator);
  return t.mul_(std).add_(mean);
}

Tensor normal(double mean, const Tensor& std, const Generator& generator) {
  const NoGrad guard;
  check_std(std);
  const Tensor t = randn(std.shape(), {.dtype = std.dtype(), .device = std.device()}, generator);
  return t.mul_(std).add_(mean);
}

}  // namespace taper
