// Latency of small operations.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {

std::vector<Benchmark> latency_suite() {
  return {
      {.name = "a + a of 4 floats, no grad",
       .unit = "ns",
       .measure =
           [] {
             const Tensor a = ones({4});
             NoGrad guard;
             return nanoseconds_per_call([&] { const Tensor c = a + a; });
           },
       .budget = 80,
       .limit = 10,
       .baseline = "add_small"},
      {.name = "a + a of 4 floats, recorded",
       .unit = "ns",
       .measure =
           [] {
             const Tensor a = ones({4}, {.requires_grad = true});
             return nanoseconds_per_call([&] { const Tensor c = a + a; });
           },
       .budget = 200,
       .baseline = "add_small_recorded"},
  };
}

}  // namespace taper::bench
