// What one small operation costs.
#include "../row.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

struct Nothing : nn::Module {
  TAPER_MODULE(Nothing)
  [[gnu::noinline]] Tensor forward(const Tensor& x) { return x; }
};

double nanoseconds(const std::function<void()>& f) { return seconds_per_call(f) * 1e9; }

}  // namespace

std::vector<Row> latency_rows() {
  return {
      {.name = "a + a of 4 floats, no grad",
       .unit = "ns",
       .measure =
           [] {
             const Tensor a = ones({4});
             NoGrad guard;
             return nanoseconds([&] { const Tensor c = a + a; });
           },
       .budget = 80,
       .limit = 10,
       .peer = "add_small"},
      {.name = "a + a of 4 floats, recorded",
       .unit = "ns",
       .measure =
           [] {
             const Tensor a = ones({4}, {.requires_grad = true});
             return nanoseconds([&] { const Tensor c = a + a; });
           },
       .budget = 200,
       .peer = "add_small_recorded"},
      {.name = "module call over a direct forward",
       .unit = "ns",
       .measure =
           [] {
             Nothing m;
             const Tensor x = ones({4});
             const double called = nanoseconds([&] { const Tensor y = m(x); });
             return called - nanoseconds([&] { const Tensor y = m.forward(x); });
           },
       .budget = 10},
  };
}

}  // namespace taper::bench
