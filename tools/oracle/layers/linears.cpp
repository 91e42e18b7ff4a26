#include "layers/table.h"
#include "taper/nn/flatten.h"
#include "taper/nn/linear.h"

namespace taper::oracle {
namespace {

Built linear(Arguments& a) {
  const std::int64_t in = a.integer("in_features"), out = a.integer("out_features");
  nn::LinearOptions o;
  o.bias = a.boolean("bias", o.bias);
  o.dtype = a.optional_dtype("dtype");
  a.done();
  return std::make_shared<nn::Linear>(in, out, o);
}

Built identity(Arguments& a) {
  while (a.next("")) {}  // takes and ignores anything
  return std::make_shared<nn::Identity>();
}

Built flatten(Arguments& a) {
  const std::int64_t first = a.integer("start_dim", 1), last = a.integer("end_dim", -1);
  a.done();
  return std::make_shared<nn::Flatten>(first, last);
}

Built unflatten(Arguments& a) {
  const std::int64_t dim = a.integer("dim");
  const Shape sizes = a.shape("unflattened_size");
  a.done();
  return std::make_shared<nn::Unflatten>(dim, sizes);
}

}  // namespace

void add_linears(LayerTable& table) {
  table["Linear"] = linear;
  table["Identity"] = identity;
  table["Flatten"] = flatten;
  table["Unflatten"] = unflatten;
}

}  // namespace taper::oracle
