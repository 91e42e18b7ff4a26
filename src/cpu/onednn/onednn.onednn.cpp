#include "cpu/onednn/onednn.h"

namespace taper::cpu::onednn {

dnnl::engine& engine() {
  static dnnl::engine& e = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return e;
}

dnnl::stream& stream() {
  thread_local dnnl::stream s(engine());
  return s;
}

}  // namespace taper::cpu::onednn
