// expect: the gradient rule reads an input that OpInfo::saved does not list
#include "ops/op.h"
using namespace taper;

struct Product {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "product",
                             .node = "ProductBackward0",
                             .inputs = "input other",
                             .dtypes = DTypeSet::all,
                             .saved = in(0)};
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<Product>& b) const { b[0] = b.input<1>(); }
};
const OpDescriptor& descriptor = descriptor_of<Product>;
