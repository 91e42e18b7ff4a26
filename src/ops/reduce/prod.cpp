#include "ops/reduce/prod.h"

#include "core/add_to.h"
#include "ops/forms.h"
#include "ops/kernel/slices.h"
#include "ops/reduce/recurrence.h"
#include "ops/reduce/reduce_kernel.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

DType result_dtype(const ShapeInference& i, std::optional<DType> wanted) {
  return wanted.value_or(is_floating_point(i.dtype(0)) ? i.dtype(0) : DType::i64);
}

}  // namespace

void ProdAll::infer(ShapeInference& i) const { i.set_output({}, result_dtype(i, dtype)); }
void ProdAll::backward(BackwardContext<ProdAll>& b) const {
  const Tensor x = b.input<0>().to(b.grad().dtype());
  b[0] = b.grad() * run(ProdOthers{0}, x.reshape(-1)).reshape(x.shape());
}

void Prod::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(Shape{dim}, i.rank(0), op.function());
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim), result_dtype(i, dtype));
}
void Prod::backward(BackwardContext<Prod>& b) const {
  const Tensor x = b.input<0>().to(b.grad().dtype());
  b[0] = reduce::restore_dim(b.grad(), x.shape(), dim, keepdim) * run(ProdOthers{dim}, x);
}

void ProdOthers::infer(ShapeInference& i) const {
  wrap_dim(dim, i.rank(0), op.function());
  i.set_output(i.shape(0), i.dtype(0));
}
void ProdOthers::backward(BackwardContext<ProdOthers>& b) const {
  const Tensor x = b.input<0>(), g = b.grad();
  if (x.dim() == 0) {
    b[0] = zeros_like(g);
    return;
  }
  if (x.device().is_cpu() && x.all().item<bool>()) {
    const Tensor each = g * run(*this, x);
    b[0] = (each.sum(dim, true) - each) / x;
    return;
  }
  // The product of all others is that of the preceding times that of the following elements.
  Tensor sum;
  for (const bool reverse : {false, true}) {
    const Tensor following = exclusive_cumprod(x, dim, !reverse);
    add_to(sum, cumprod_gradient(x, shifted(g * following, dim, !reverse, 0), dim, reverse));
  }
  b[0] = sum;
}

namespace {

void prod_reference(reduce::Mask mask, const KernelArgs& k) {
  const View &in = k.in[0], &out = k.out[0];
  // As for sums: a reduction to bool must not truncate to integers first.
  kernel::in_compute_type(out.dtype == DType::bool_ ? in.dtype : out.dtype, [&]<class T>(T) {
    const auto products =
        reduce::fold_reference<T>(in, mask, T{1}, [](T& t, T x) { t = kernel::times(t, x); });
    reduce::store_results(out, [&](std::size_t i) { return products[i]; });
  });
}

bool prod_fast(reduce::Mask mask, const KernelArgs& k) {
  // A wider result dtype requests multiplication in that dtype.
  return k.out[0].dtype == k.in[0].dtype && reduce::store_fold(reduce::Fold::product, k, mask);
}

}  // namespace

template <> bool cpu_kernel(const ProdAll&, const KernelArgs& k) {
  return prod_fast(reduce::mask_of({}, k.in[0].shape->size(), "prod"), k);
}
template <> bool cpu_kernel(const Prod& o, const KernelArgs& k) {
  return prod_fast(reduce::mask_of(Shape{o.dim}, k.in[0].shape->size(), "prod"), k);
}
template <> void reference_kernel(const ProdAll&, const KernelArgs& k) {
  prod_reference(reduce::mask_of({}, k.in[0].shape->size(), "prod"), k);
}
template <> void reference_kernel(const Prod& o, const KernelArgs& k) {
  prod_reference(reduce::mask_of(Shape{o.dim}, k.in[0].shape->size(), "prod"), k);
}
template <> void reference_kernel(const ProdOthers& o, const KernelArgs& k) {
  const Shape& shape = *k.in[0].shape;
  const std::int64_t n = kernel::slice_length(shape, o.dim);
  kernel::in_compute_type(k.out[0].dtype, [&]<class T>(T) {
    std::vector<T> prefix_products(static_cast<std::size_t>(n));
    kernel::for_each_slice<2>(shape, o.dim, {&k.in[0], &k.out[0]}, [&](const auto& slices) {
      T product{1};
      for (std::int64_t i = 0; i < n; ++i) {
        prefix_products[static_cast<std::size_t>(i)] = product;
        product = kernel::times(product, slices[0].template get<T>(i));
      }
      product = T{1};
      for (std::int64_t i = n; i-- > 0;) {
        const T x = slices[0].template get<T>(i);
        slices[1].set(i, kernel::times(prefix_products[static_cast<std::size_t>(i)], product));
        product = kernel::times(product, x);
      }
    });
  });
}

TAPER_DEFINE_OP(prod_all, ProdAll);
TAPER_DEFINE_OP(prod, Prod);
TAPER_DEFINE_OP(prod_others, ProdOthers);

Tensor prod(const Tensor& x) { return run(ProdAll{}, x); }
Tensor prod(const Tensor& x, IntArg dim, bool keepdim, std::optional<DType> dtype) {
  return run(Prod{dim, keepdim, dtype}, x);
}
Tensor ops::ReduceMethods::prod() const { return run(ProdAll{}, self_of(this)); }
Tensor ops::ReduceMethods::prod(IntArg dim, bool keepdim, std::optional<DType> dtype) const {
  return run(Prod{dim, keepdim, dtype}, self_of(this));
}

}  // namespace taper
