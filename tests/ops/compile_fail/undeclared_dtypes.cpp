// expect: an op declares the dtypes that it supports
#include "ops/op.h"
using namespace taper;

struct Identity {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "identity", .inputs = "input"};
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
};
const OpDescriptor& descriptor = descriptor_of<Identity>;
