// expect: the gradient rule reads an output that OpInfo::saved does not list
#include "ops/op.h"
using namespace taper;

struct Exponential {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "exponential",
                             .node = "ExponentialBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::all,
                             .saved = in(0)};
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<Exponential>& b) const { b[0] = b.output<0>(); }
};
const OpDescriptor& descriptor = descriptor_of<Exponential>;
