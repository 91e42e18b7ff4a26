// expect: an op has both a node and `backward(BackwardContext<O>&) const`, or neither
#include "ops/op.h"
using namespace taper;

struct Sine;
struct Cosine {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "cosine",
                             .node = "CosineBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::all,
                             .saved = in(0)};
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<Sine>&) const {}
};
const OpDescriptor& descriptor = descriptor_of<Cosine>;
