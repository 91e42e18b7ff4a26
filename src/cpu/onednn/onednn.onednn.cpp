#include "cpu/onednn/onednn.h"

#include <string_view>

#include "taper/core/cpu_capability.h"

// Entry points of libgomp, which runs the regions of oneDNN regardless of the compiler.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace taper::cpu::onednn {

namespace {

dnnl::engine* make_engine() {
  // The instruction set must be that of the vector kernels.
  const std::string_view capability = get_cpu_capability();
  if (capability != "AVX512")
    dnnl::set_max_cpu_isa(capability == "AVX2" ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41);
  return new dnnl::engine(dnnl::engine::kind::cpu, 0);
}

}  // namespace

dnnl::engine& engine() {
  static dnnl::engine& e = *make_engine();
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
