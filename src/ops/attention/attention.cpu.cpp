#include "ops/attention/attention.h"

#include "cpu/attention/attention.h"

namespace taper {
namespace {

/// Returns the matrices of a view whose last `inner` dimensions are those of a matrix. A vector per
/// head is a matrix with one column.
template <class T> cpu::HeadMatrices<T> matrices_of(const View& v, std::size_t inner = 2) {
  if (!v.shape) return {};
  const Shape& strides = *v.strides;
  const std::size_t lead = strides.size() - inner;
  return {.data = reinterpret_cast<T*>(v.data),
          .steps = std::span(strides.begin(), lead),
          .row = strides[lead],
          .col = inner == 2 ? strides[lead + 1] : 1};
}

/// Returns true if the rows of an output are contiguous, or if it is absent.
bool has_contiguous_rows(const View& v) {
  return !v.shape || v.shape->back() <= 1 || v.strides->back() == 1;
}

/// Operands of an op of this family: views, and a mask expanded to the shape of the scores.
template <class T> class Operands {
 public:
  template <class O> Operands(const O& o, const KernelArgs& k, std::size_t query, int mask)
      : scores_(*k.in[query].shape) {
    const Shape &q = *k.in[query].shape, &key = *k.in[query + 1].shape,
                &value = *k.in[query + 2].shape;
    const std::size_t rank = q.size();
    attention_ = {.heads = std::span(q.begin(), rank - 2),
                  .group = heads_per_key_head(q, key),
                  .queries = q[rank - 2],
                  .keys = key[rank - 2],
                  .depth = q[rank - 1],
                  .value_depth = value[rank - 1],
                  .scale = static_cast<T>(attention_scale(o.scale, q[rank - 1])),
                  .is_causal = o.is_causal,
                  .query = matrices_of<const T>(k.in[query]),
                  .key = matrices_of<const T>(k.in[query + 1]),
                  .value = matrices_of<const T>(k.in[query + 2])};
    scores_[rank - 1] = attention_.keys;
    if (!k.has(mask)) return;
    const View& given = k.in[static_cast<std::size_t>(mask)];
    attention_.mask = matrices_of<const std::byte>(expand_view(given, scores_, mask_strides_));
    attention_.is_bool_mask = given.dtype == DType::bool_;
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  const cpu::Attention<T>& operator*() const { return attention_; }

 private:
  Shape scores_, mask_strides_{};
  cpu::Attention<T> attention_{};
};

template <class T> void forward(const ScaledDotProductAttention& o, const KernelArgs& k) {
  const Operands<T> operands(o, k, 0, 3);
  cpu::attention_forward(*operands, matrices_of<T>(k.out[0]),
                         {matrices_of<T>(k.out[1], 1), matrices_of<T>(k.out[2], 1)});
}

template <class T> void backward(const ScaledDotProductAttentionBackward& o, const KernelArgs& k) {
  const Operands<T> operands(o, k, 1, 8);
  const cpu::AttentionGradient<T> g{
      .grad_output = matrices_of<const T>(k.in[0]),
      .output = matrices_of<const T>(k.in[4]),
      .log_sums = {matrices_of<const T>(k.in[5], 1), matrices_of<const T>(k.in[6], 1)},
      .grad_log_sum = matrices_of<const T>(k.in[7], 1),
      .grad_query = matrices_of<T>(k.out[0]),
      .grad_key = matrices_of<T>(k.out[1]),
      .grad_value = matrices_of<T>(k.out[2]),
      .grad_mask = matrices_of<T>(k.out[3])};
  cpu::attention_backward(*operands, g);
}

/// Calls f(T{}) with the type to compute in and returns true, unless the operands from `query` on
/// are left to the reference kernel: 16-bit floats, which functions convert to f32, and tensors
/// without elements.
template <class F> bool in_kernel_type(const View* query, F&& f) {
  for (int operand = 0; operand < 3; ++operand)
    if (query[operand].numel == 0) return false;
  if (query->dtype == DType::f32)
    f(float{});
  else if (query->dtype == DType::f64)
    f(double{});
  else
    return false;
  return true;
}

}  // namespace

template <> bool cpu_kernel(const ScaledDotProductAttention& o, const KernelArgs& k) {
  if (!has_contiguous_rows(k.out[0])) return false;
  return in_kernel_type(&k.in[0], [&]<class T>(T) { forward<T>(o, k); });
}

template <> bool cpu_kernel(const ScaledDotProductAttentionBackward& o, const KernelArgs& k) {
  for (const View& out : k.out)
    if (!has_contiguous_rows(out)) return false;
  for (const std::size_t statistic : {std::size_t{5}, std::size_t{6}, std::size_t{7}})
    if (k.in[statistic].shape && k.in[statistic].dtype != k.in[1].dtype) return false;
  return in_kernel_type(&k.in[1], [&]<class T>(T) { backward<T>(o, k); });
}

}  // namespace taper
