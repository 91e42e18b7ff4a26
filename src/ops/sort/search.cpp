// searchsorted, bucketize and isin.
#include "ops/sort/search.h"

#include "ops/copy/fill.h"
#include "ops/forms.h"
#include "ops/kernel/reference.h"
#include "ops/promote.h"
#include "taper/core/factory.h"

namespace taper {

void SearchSorted::infer(ShapeInference& i) const {
  const Shape &sequence = i.shape(0), &values = i.shape(1);
  if (sequence.size() != 1 && values.empty())
    i.fail(
        "input value can be a scalar only when boundaries tensor dimension is 1, but we got "
        "boundaries tensor dim({}) and input value's dim(0) numel(1)",
        sequence.size());
  bool match = sequence.size() == values.size();
  for (std::size_t d = 0; match && d + 1 < sequence.size(); ++d) match = sequence[d] == values[d];
  if (!match && sequence.size() != 1)
    i.fail(
        "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
        "and input value tensor must match, but we got boundaries tensor {} and input value tensor "
        "{}",
        sequence, values);
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("expected boundaries and values of one dtype, got {} and {}", i.dtype(0),
                       i.dtype(1));
  if (i.has(2)) {
    if (!(i.shape(2) == sequence))
      i.fail(
          "boundary and sorter must have the same size, but got boundary tensor {} and got "
          "sorter tensor {}",
          sequence, i.shape(2));
    if (i.dtype(2) != DType::i64)
      i.fail<DTypeError>("sorter must be a tensor of long dtype but got dtype {}", i.dtype(2));
  }
  i.set_output(values, out_int32 ? DType::i32 : DType::i64);
}

namespace {

/// View with the shape of the values whose elements are the first elements of the sequences.
struct Starts {
  Shape strides;
  View view;

  Starts(const View& sequence, const View& values) : view(sequence) {
    strides = Shape::filled(values.shape->size(), 0);
    if (sequence.shape->size() > 1)
      for (std::size_t d = 0; d + 1 < strides.size(); ++d) strides[d] = (*sequence.strides)[d];
    view.shape = values.shape, view.strides = &strides;
  }
  Starts(const Starts&) = delete;
  Starts& operator=(const Starts&) = delete;
};

/// Returns the number of elements in front of the insertion point. Written with `!` because every
/// comparison with NaN is false, so that NaN is inserted at the end.
template <class T, class At>
std::int64_t insertion_point(T x, std::int64_t n, bool right, At&& at) {
  std::int64_t begin = 0;
  while (begin < n) {
    const std::int64_t middle = begin + (n - begin) / 2;
    const T y = at(middle);
    if (right ? !(y > x) : !(y >= x))
      begin = middle + 1;
    else
      n = middle;
  }
  return begin;
}

void check_sorter(const View& sorter, std::int64_t n) {
  kernel::walk(*sorter.shape, std::array<const View*, 1>{&sorter},
               [&](const std::array<std::int64_t, 1>& at) {
                 const auto i = kernel::load<std::int64_t>(sorter.data + at[0], DType::i64);
                 if (i < 0 || i >= n)
                   fail<IndexError>(
                       "searchsorted: sorter index out of range: got {} for a sequence of {} "
                       "elements",
                       i, n);
               });
}

}  // namespace

template <> void reference_kernel(const SearchSorted& o, const KernelArgs& k) {
  const View &sequence = k.in[0], &values = k.in[1], &out = k.out[0];
  const std::int64_t n = sequence.shape->back();
  const bool sorted_by_index = k.has(2);
  if (sorted_by_index) check_sorter(k.in[2], n);
  const Starts starts(sequence, values), orders(sorted_by_index ? k.in[2] : sequence, values);
  const std::int64_t step = sequence.strides->back() * kernel::element_size(sequence);
  const std::int64_t order_step = sorted_by_index ? k.in[2].strides->back() * 8 : 0;
  visit_dtype(sequence.dtype, [&]<class T>(T) {
    using Compared = std::conditional_t<is_narrow_float<T>, float, T>;
    const auto get = [](const std::byte* p) {
      return static_cast<Compared>(*reinterpret_cast<const T*>(p));
    };
    kernel::walk(
        *values.shape, std::array<const View*, 4>{&values, &out, &starts.view, &orders.view},
        [&](const std::array<std::int64_t, 4>& at) {
          const std::byte* row = sequence.data + at[2];
          const auto element = [&](std::int64_t i) {
            if (sorted_by_index)
              i = *reinterpret_cast<const std::int64_t*>(orders.view.data + at[3] + i * order_step);
            return get(row + i * step);
          };
          kernel::store(out.data + at[1], out.dtype,
                        insertion_point(get(values.data + at[0]), n, o.right, element));
        });
  });
}

TAPER_DEFINE_OP(searchsorted, SearchSorted);

namespace {

/// Returns the attributes for the arguments `right` and `side`.
SearchSorted options(bool out_int32, bool right, std::optional<std::string_view> side) {
  if (side && *side != "left" && *side != "right")
    fail<ValueError>("searchsorted: side can only be 'left' or 'right' but got '{}'", *side);
  if (side == "left" && right)
    fail<ValueError>(
        "searchsorted: side and right can't be set to opposites, got side of 'left' while right "
        "was true");
  return {out_int32, right || side == "right"};
}

Tensor search(const SearchSorted& o, const Tensor& sequence, const OpInput& value,
              OptionalTensorRef sorter) {
  const OpInput both[] = {sequence, value};
  const DType common = result_type(both);
  const Tensor values = value.tensor ? value.tensor->to(common)
                                     : operand_number(*value.scalar, common, sequence.device());
  return run(o, sequence.to(common), values, sorter.value_or_undefined());
}

void check_boundaries(const Tensor& boundaries) {
  if (boundaries.dim() != 1)
    fail<ShapeError>("bucketize: boundaries tensor must be 1 dimension, but got dim({})",
                     boundaries.dim());
}

/// Elements of isin, and the elements that they are searched in.
Tensor is_among(const Tensor& elements, const Tensor& tests, bool invert) {
  NoGrad guard;
  for (const Tensor* t : {&elements, &tests})
    if (t->dtype() == DType::bool_)
      fail<NotImplementedError>("isin: Unsupported input type encountered for isin(): Bool");
  const OpInput both[] = {elements, tests};
  const DType common = result_type(both);
  const Tensor x = elements.to(common);
  const std::int64_t n = tests.numel();
  if (n == 0)
    return full(elements.shape(), invert, {.dtype = DType::bool_, .device = elements.device()});
  const Tensor sorted = sort(tests.to(common).reshape(-1)).first;
  const Tensor position = searchsorted(sorted, x).clamp({}, n - 1).reshape(-1);
  const Tensor nearest = sorted.index_select(0, position).reshape(x.shape());
  return invert ? nearest != x : nearest == x;
}

}  // namespace

Tensor searchsorted(const Tensor& sequence, const Tensor& values, bool out_int32, bool right,
                    std::optional<std::string_view> side, OptionalTensorRef sorter) {
  return search(options(out_int32, right, side), sequence, values, sorter);
}
Tensor searchsorted(const Tensor& sequence, const Scalar& value, bool out_int32, bool right,
                    std::optional<std::string_view> side, OptionalTensorRef sorter) {
  return search(options(out_int32, right, side), sequence, value, sorter);
}
Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool out_int32, bool right) {
  check_boundaries(boundaries);
  return search({out_int32, right}, boundaries, x, {});
}
Tensor bucketize(const Scalar& x, const Tensor& boundaries, bool out_int32, bool right) {
  check_boundaries(boundaries);
  return search({out_int32, right}, boundaries, x, {});
}

Tensor isin(const Tensor& elements, const Tensor& tests, bool, bool invert) {
  return is_among(elements, tests, invert);
}
Tensor isin(const Tensor& elements, const Scalar& test, bool, bool invert) {
  if (elements.dtype() == DType::bool_)
    fail<NotImplementedError>("isin: Unsupported input type encountered for isin(): Bool");
  NoGrad guard;
  return invert ? elements != test : elements == test;
}
Tensor isin(const Scalar& element, const Tensor& tests, bool, bool invert) {
  const DType dtype = element.is_floating() ? default_dtype() : element.dtype();
  return is_among(operand_number(element, dtype, tests.device()), tests, invert);
}

}  // namespace taper
