// Indexing with x[{...}]: reading, assignment through temporaries, index_put.
#include "core/check.h"
#include "ops/forms.h"
#include "ops/indexing/index.h"
#include "ops/indexing/subscript.h"
#include "taper/core/index.h"

namespace taper {
namespace {

using indexing::AdvancedIndex;
using Entries = std::span<const Index>;
Entries span_of(std::initializer_list<Index> l) { return {l.begin(), l.size()}; }

IndexProxy make_index_proxy(const Tensor& x, Entries entries) {
  AdvancedIndex index = indexing::parse_index(x, entries);
  Tensor selected = indexing::read(index);
  return {std::move(selected),
          std::make_shared<const IndexProxy::Source>(IndexProxy::Source{std::move(index)})};
}

const Tensor& put_indexed(const Tensor& self, Entries entries, const Tensor& values,
                          bool accumulate) {
  const AdvancedIndex p = indexing::parse_index(self, entries);
  if (!p.dims.empty())
    run_inplace(IndexPut{p.dims, accumulate}, p.view, p.index, values);
  else if (accumulate)
    p.view.add_(values);
  else
    p.view.copy_(values);
  return self;
}

}  // namespace

IndexProxy Tensor::operator[](std::initializer_list<Index> index) const {
  return make_index_proxy(*this, span_of(index));
}
IndexProxy Tensor::operator[](const Tensor& index) const {
  const Index one(index);
  return make_index_proxy(*this, {&one, 1});
}

IndexProxy::IndexProxy(Tensor selected, std::shared_ptr<const Source> source)
    : Tensor(std::move(selected)), source_(std::move(source)) {}
IndexProxy& IndexProxy::operator=(const Tensor& other) & {
  Tensor::operator=(other);
  source_.reset();
  return *this;
}
const IndexProxy::Source& IndexProxy::source() const {
  if (!source_)
    fail<RuntimeError>(
        "index_put_: the result of indexing was assigned another tensor: expected one that selects "
        "elements of the indexed tensor");
  return *source_;
}
void IndexProxy::operator=(const Tensor& value) && { indexing::write(source().index, value); }
void IndexProxy::operator=(const Scalar& value) && { indexing::write(source().index, value); }

// As in Python, the compound assignments read the elements, modify them and write them back.
#define TAPER_INDEXED_OPERATOR(op, name)                          \
  void operator op##=(IndexProxy&& target, const Tensor& value) { \
    target.name(value);                                           \
    std::move(target) = target;                                   \
  }                                                               \
  void operator op##=(IndexProxy&& target, const Scalar& value) { \
    target.name(value);                                           \
    std::move(target) = target;                                   \
  }
TAPER_INDEXED_OPERATOR(+, add_)
TAPER_INDEXED_OPERATOR(-, sub_)
TAPER_INDEXED_OPERATOR(*, mul_)
TAPER_INDEXED_OPERATOR(/, div_)
TAPER_INDEXED_OPERATOR(%, remainder_)
TAPER_INDEXED_OPERATOR(&, bitwise_and_)
TAPER_INDEXED_OPERATOR(|, bitwise_or_)
TAPER_INDEXED_OPERATOR(^, bitwise_xor_)
TAPER_INDEXED_OPERATOR(<<, bitwise_left_shift_)
TAPER_INDEXED_OPERATOR(>>, bitwise_right_shift_)
#undef TAPER_INDEXED_OPERATOR

namespace ops {
Tensor IndexingMethods::index(std::initializer_list<Index> indices) const {
  return index(span_of(indices));
}
Tensor IndexingMethods::index(Entries indices) const {
  return indexing::read(indexing::parse_index(self_of(this), indices));
}
Tensor IndexingMethods::index_put(std::initializer_list<Index> indices, const Tensor& values,
                                  bool accumulate) const {
  return index_put(span_of(indices), values, accumulate);
}
Tensor IndexingMethods::index_put(Entries indices, const Tensor& values, bool accumulate) const {
  const Tensor& self = self_of(this);
  const AdvancedIndex p = indexing::parse_index(self, indices);
  // A single op suffices only if the indices apply to the dimensions of the tensor itself.
  if (!p.dims.empty() && p.view.is_same(self))
    return run(IndexPut{p.dims, accumulate}, self, p.index, values);
  const Tensor copy = self.clone();
  return put_indexed(copy, indices, values, accumulate);
}
const Tensor& IndexingMethods::index_put_(std::initializer_list<Index> indices,
                                          const Tensor& values, bool accumulate) const {
  return put_indexed(self_of(this), span_of(indices), values, accumulate);
}
const Tensor& IndexingMethods::index_put_(Entries indices, const Tensor& values,
                                          bool accumulate) const {
  return put_indexed(self_of(this), indices, values, accumulate);
}
}  // namespace ops

}  // namespace taper
