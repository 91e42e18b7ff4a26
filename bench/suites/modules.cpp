// Overhead of the module system: calls, hooks, containers, iteration, state.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

struct NoOpModule : nn::Module {
  TAPER_MODULE(NoOpModule)
  [[gnu::noinline]] Tensor forward(const Tensor& x) { return x; }
};

double microseconds_per_call(const std::function<void()>& f) { return seconds_per_call(f) * 1e6; }

/// Returns the time of calling `m` minus the time of its forward, in nanoseconds.
double call_overhead(NoOpModule& m) {
  const Tensor x = ones({4});
  const double call_time = nanoseconds_per_call([&] { const Tensor y = m(x); }, 0.1);
  return call_time - nanoseconds_per_call([&] { const Tensor y = m.forward(x); }, 0.1);
}

double unhooked_call_overhead() {
  NoOpModule m;
  return call_overhead(m);
}

/// Returns the time of a call with a forward hook minus the time of forward, in nanoseconds.
template <class Hook> double hooked_call_overhead(Hook hook) {
  NoOpModule m;
  const nn::RemovableHandle handle = m.register_forward_hook(hook);
  return call_overhead(m);
}

constexpr int kChildren = 16;

/// Returns the time of calling a container of kChildren modules minus the time of their forwards,
/// in nanoseconds per child.
template <class Net> double overhead_per_child(Net& net) {
  const Tensor x = ones({4});
  NoOpModule child;
  const double all = nanoseconds_per_call(
      [&] {
        Tensor y = x;
        for (int i = 0; i < kChildren; ++i) y = child.forward(y);
      },
      0.1);
  return (nanoseconds_per_call([&] { const Tensor y = net(x); }, 0.1) - all) / kChildren;
}

double sequential_overhead() {
  nn::Sequential net;
  for (int i = 0; i < kChildren; ++i) net.append(NoOpModule());
  return overhead_per_child(net);
}

template <std::size_t> using One = NoOpModule;
template <std::size_t... I> double chain_overhead(std::index_sequence<I...>) {
  nn::Chain<One<I>...> net{One<I>()...};
  return overhead_per_child(net);
}

/// Returns a container of 200 Linear layers of 8 by 8.
nn::Sequential many_linears() {
  nn::Sequential net;
  for (int i = 0; i < 200; ++i) net.append(nn::Linear(8, 8));
  return net;
}

/// Returns the time of `f(net, state)` in microseconds, where `net` has 200 layers and `state` is
/// its state dict.
template <class F> double time_on_linears(F f) {
  nn::Sequential net = many_linears();
  const Value state = net.state_dict();
  return microseconds_per_call([&] { f(net, state); });
}

}  // namespace

std::vector<Benchmark> module_suite() {
  return {
      {.name = "module call over a direct forward",
       .unit = "ns",
       .measure = unhooked_call_overhead,
       .budget = 10,
       .baseline = "libtorch:call"},
      {.name = "nn::Chain, per child over its forward",
       .unit = "ns",
       .measure = [] { return chain_overhead(std::make_index_sequence<kChildren>()); },
       .budget = 5,
       .baseline = "libtorch:sequential_child"},
      {.name = "nn::Sequential, per child over its forward",
       .unit = "ns",
       .measure = sequential_overhead,
       .budget = 30,
       .baseline = "libtorch:sequential_child"},
      {.name = "one forward hook, typed",
       .unit = "ns",
       .measure = [] { return hooked_call_overhead([](NoOpModule&, const Tensor&, Tensor&) {}); },
       .budget = 15,
       .baseline = "forward_hook"},
      {.name = "one forward hook, through Value",
       .unit = "ns",
       .measure =
           [] { return hooked_call_overhead([](nn::Module&, const nn::Values&, nn::Value&) {}); },
       .budget = 60,
       .baseline = "forward_hook"},
      {.name = "parameters() over 200 Linears",
       .unit = "us",
       .measure =
           [] {
             return time_on_linears([](auto& net, auto&) { const auto all = net.parameters(); });
           },
       .budget = 10,
       .baseline = "libtorch:parameters"},
      {.name = "named_parameters() over 200 Linears",
       .unit = "us",
       .measure =
           [] {
             return time_on_linears(
                 [](auto& net, auto&) { const auto all = net.named_parameters(); });
           },
       .budget = 20,
       .baseline = "libtorch:named_parameters"},
      {.name = "state_dict() of 200 Linears",
       .unit = "us",
       .measure =
           [] {
             return time_on_linears([](auto& net, auto&) { const Value s = net.state_dict(); });
           },
       .budget = 60,
       .baseline = "state_dict"},
      {.name = "load_state_dict of 200 Linears 8x8",
       .unit = "us",
       .measure =
           [] {
             return time_on_linears([](auto& net, const Value& s) { net.load_state_dict(s); });
           },
       .budget = 100,
       .baseline = "load_state_dict"},
  };
}

}  // namespace taper::bench
