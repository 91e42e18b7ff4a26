#include "taper/nn/softmax.h"

#include "nn/registry/schema.h"
#include "taper/nn/functional/softmax.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Softmax)
TAPER_LAYER_MEMBERS(LogSoftmax)
TAPER_LAYER_MEMBERS(Softmin)

std::string SoftmaxBase::extra_repr() const {
  return "dim=" + (dim ? std::to_string(*dim) : std::string("None"));
}

Tensor Softmax::forward(const Tensor& input) const { return functional::softmax(input, dim); }
Tensor LogSoftmax::forward(const Tensor& input) const {
  return functional::log_softmax(input, dim);
}
Tensor Softmin::forward(const Tensor& input) const { return functional::softmin(input, dim); }

namespace {

template <class L> constexpr ClassRow softmax_row(std::string_view name) {
  return layer_row<L>(
      name, "activation", "dim=None",
      [](const Arguments& a) {
        L made;
        made.dim = a.optional_integer("dim");
        return made;
      },
      [](const L& m) -> Values { return {Convert<std::optional<std::int64_t>>::to(m.dim)}; });
}

}  // namespace

const ClassRow& row_of(const Softmax*) {
  static constexpr ClassRow row = softmax_row<Softmax>("Softmax");
  return row;
}
const ClassRow& row_of(const LogSoftmax*) {
  static constexpr ClassRow row = softmax_row<LogSoftmax>("LogSoftmax");
  return row;
}
const ClassRow& row_of(const Softmin*) {
  static constexpr ClassRow row = softmax_row<Softmin>("Softmin");
  return row;
}

}  // namespace taper::nn
