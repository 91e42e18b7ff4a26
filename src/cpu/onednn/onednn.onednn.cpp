#include "cpu/onednn/onednn.h"

// Entry points of libgomp, which runs the regions of oneDNN regardless of the compiler.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace taper::cpu::onednn {

dnnl::engine& engine() {
  static dnnl::engine& e = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return e;
}

dnnl::stream& stream() {
  thread_local dnnl::stream s(engine());
  return s;
}

OneOpenMpThread::OneOpenMpThread() noexcept : before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
OneOpenMpThread::~OneOpenMpThread() { omp_set_num_threads(before_); }

}  // namespace taper::cpu::onednn
