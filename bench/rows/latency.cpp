// Latency of small operations.
#include "../row.h"
#include "taper/taper.h"

namespace taper::bench {

std::vector<Row> latency_rows() {
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
       .peer = "add_small"},
      {.name = "a + a of 4 floats, recorded",
       .unit = "ns",
       .measure =
           [] {
             const Tensor a = ones({4}, {.requires_grad = true});
             return nanoseconds_per_call([&] { const Tensor c = a + a; });
           },
       .budget = 200,
       .peer = "add_small_recorded"},
  };
}

}  // namespace taper::bench
