// expect: OpInfo::saved lists an input or output that the op does not declare
#include "ops/op.h"
using namespace taper;

struct Concatenation {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "concatenation",
                             .node = "ConcatenationBackward0",
                             .inputs = "tensors...",
                             .dtypes = DTypeSet::all,
                             .saved = in(0)};
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContextBase&) const {}
};
const OpDescriptor& descriptor = descriptor_of<Concatenation>;
