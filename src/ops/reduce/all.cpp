#include "ops/reduce/all.h"

#include "ops/forms.h"
#include "ops/reduce/reduce_kernel.h"

namespace taper {

template <bool Any> void AllOrAny<Any>::infer(ShapeInference& i) const {
  const reduce::Mask mask = reduce::mask_of(dim, i.rank(0), op.function());
  i.set_output(reduce::result_shape(i.shape(0), mask, keepdim),
               i.dtype(0) == DType::u8 ? DType::u8 : DType::bool_);
}
void CountNonzero::infer(ShapeInference& i) const {
  i.set_output(
      reduce::result_shape(i.shape(0), reduce::mask_of(dim, i.rank(0), op.function()), false),
      DType::i64);
}

namespace {

/// Returns, for each result, the number of nonzero elements that are reduced into it.
std::vector<std::int64_t> count_nonzero_elements(const std::optional<Shape>& dim, const View& in) {
  const reduce::Mask mask = reduce::mask_of(dim, in.shape->size(), "count_nonzero");
  std::vector<std::int64_t> result;
  kernel::in_compute_type(in.dtype, [&]<class T>(T) {
    result = reduce::fold_reference<T>(in, mask, std::int64_t{0},
                                       [](std::int64_t& n, T x) { n += x != T{}; });
  });
  return result;
}

/// Stores f(n) for each result, where n is its number of nonzero elements.
template <class F> void store_counts(const std::optional<Shape>& dim, const KernelArgs& k, F&& f) {
  const auto n = count_nonzero_elements(dim, k.in[0]);
  reduce::store_results(k.out[0], [&](std::size_t i) { return f(n[i]); });
}
template <class F>
bool store_counts_fast(const std::optional<Shape>& dim, const KernelArgs& k, F&& f) {
  const reduce::Mask mask = reduce::mask_of(dim, k.in[0].shape->size(), "count_nonzero");
  return reduce::store_fold(reduce::Fold::count, k, mask,
                            [&](auto n) { return f(static_cast<std::int64_t>(n)); });
}

auto make_any_predicate() {
  return [](std::int64_t n) { return std::int64_t{n > 0}; };
}
auto make_all_predicate(const KernelArgs& k) {
  const std::int64_t each = k.out[0].numel == 0 ? 0 : k.in[0].numel / k.out[0].numel;
  return [each](std::int64_t n) { return std::int64_t{n == each}; };
}
auto identity() {
  return [](std::int64_t n) { return n; };
}

}  // namespace

using All = AllOrAny<false>;
using Any = AllOrAny<true>;
template <> void reference_kernel(const All& o, const KernelArgs& k) {
  store_counts(o.dim, k, make_all_predicate(k));
}
template <> void reference_kernel(const Any& o, const KernelArgs& k) {
  store_counts(o.dim, k, make_any_predicate());
}
template <> void reference_kernel(const CountNonzero& o, const KernelArgs& k) {
  store_counts(o.dim, k, identity());
}
template <> bool cpu_kernel(const All& o, const KernelArgs& k) {
  return store_counts_fast(o.dim, k, make_all_predicate(k));
}
template <> bool cpu_kernel(const Any& o, const KernelArgs& k) {
  return store_counts_fast(o.dim, k, make_any_predicate());
}
template <> bool cpu_kernel(const CountNonzero& o, const KernelArgs& k) {
  return store_counts_fast(o.dim, k, identity());
}

TAPER_DEFINE_OP(all, All);
TAPER_DEFINE_OP(any, Any);
TAPER_DEFINE_OP(count_nonzero, CountNonzero);

Tensor all(const Tensor& x, const Dims& dims, bool keepdim) { return run(All{dims, keepdim}, x); }
Tensor any(const Tensor& x, const Dims& dims, bool keepdim) { return run(Any{dims, keepdim}, x); }
Tensor count_nonzero(const Tensor& x, const Dims& dims) { return run(CountNonzero{dims}, x); }

namespace ops {
Tensor ReduceMethods::all(const Dims& dims, bool keepdim) const {
  return run(All{dims, keepdim}, self_of(this));
}
Tensor ReduceMethods::any(const Dims& dims, bool keepdim) const {
  return run(Any{dims, keepdim}, self_of(this));
}
Tensor ReduceMethods::count_nonzero(const Dims& dims) const {
  return run(CountNonzero{dims}, self_of(this));
}
}  // namespace ops

}  // namespace taper
