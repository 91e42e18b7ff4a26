#include "taper/nn/functional/gelu.h"
#include "functions/table.h"

namespace taper::oracle {
namespace {

Value call_gelu(Arguments& a) {
  const Tensor x = a.tensor("input");
  const std::string approximate = a.text("approximate", "none");
  a.done();
  return nn::functional::gelu(x, {.approximate = approximate});
}

}  // namespace

void add_gelu(FunctionTable& table) { table["F.gelu"] = call_gelu; }

}  // namespace taper::oracle
