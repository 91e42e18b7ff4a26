// Overhead of the module system: calls, hooks, containers, iteration, state.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

struct Nothing : nn::Module {
  TAPER_MODULE(Nothing)
  [[gnu::noinline]] Tensor forward(const Tensor& x) { return x; }
};

double microseconds(const std::function<void()>& f) { return seconds_per_call(f) * 1e6; }

/// Returns the time of calling `m` minus the time of its forward, in nanoseconds.
double over_forward(Nothing& m) {
  const Tensor x = ones({4});
  const double called = nanoseconds_per_call([&] { const Tensor y = m(x); }, 0.1);
  return called - nanoseconds_per_call([&] { const Tensor y = m.forward(x); }, 0.1);
}

double plain_call() {
  Nothing m;
  return over_forward(m);
}

/// Returns the time of a call with a forward hook minus the time of forward, in nanoseconds.
template <class Hook> double hooked_call(Hook hook) {
  Nothing m;
  const nn::RemovableHandle handle = m.register_forward_hook(hook);
  return over_forward(m);
}

constexpr int kChildren = 16;

/// Returns the time of calling a container of kChildren modules minus the time of their forwards,
/// in nanoseconds per child.
template <class Net> double per_child(Net& net) {
  const Tensor x = ones({4});
  Nothing child;
  const double all = nanoseconds_per_call(
      [&] {
        Tensor y = x;
        for (int i = 0; i < kChildren; ++i) y = child.forward(y);
      },
      0.1);
  return (nanoseconds_per_call([&] { const Tensor y = net(x); }, 0.1) - all) / kChildren;
}

double dynamic_child() {
  nn::Sequential net;
  for (int i = 0; i < kChildren; ++i) net.append(Nothing());
  return per_child(net);
}

template <std::size_t> using One = Nothing;
template <std::size_t... I> double typed_child(std::index_sequence<I...>) {
  nn::Chain<One<I>...> net{One<I>()...};
  return per_child(net);
}

/// Returns a container of 200 Linear layers of 8 by 8.
nn::Sequential many_linears() {
  nn::Sequential net;
  for (int i = 0; i < 200; ++i) net.append(nn::Linear(8, 8));
  return net;
}

/// Returns the time of `f(net, state)` in microseconds, where `net` has 200 layers and `state` is
/// its state dict.
template <class F> double over_linears(F f) {
  nn::Sequential net = many_linears();
  const Value state = net.state_dict();
  return microseconds([&] { f(net, state); });
}

}  // namespace

std::vector<Benchmark> module_suite() {
  return {
      {.name = "module call over a direct forward",
       .unit = "ns",
       .measure = plain_call,
       .budget = 10,
       .baseline = "libtorch:call"},
      {.name = "nn::Chain, per child over its forward",
       .unit = "ns",
       .measure = [] { return typed_child(std::make_index_sequence<kChildren>()); },
       .budget = 5,
       .baseline = "libtorch:sequential_child"},
      {.name = "nn::Sequential, per child over its forward",
       .unit = "ns",
       .measure = dynamic_child,
       .budget = 30,
       .baseline = "libtorch:sequential_child"},
      {.name = "one forward hook, typed",
       .unit = "ns",
       .measure = [] { return hooked_call([](Nothing&, const Tensor&, Tensor&) {}); },
       .budget = 15,
       .baseline = "forward_hook"},
      {.name = "one forward hook, through Value",
       .unit = "ns",
       .measure = [] { return hooked_call([](nn::Module&, const nn::Values&, nn::Value&) {}); },
       .budget = 60,
       .baseline = "forward_hook"},
      {.name = "parameters() over 200 Linears",
       .unit = "us",
       .measure =
           [] { return over_linears([](auto& net, auto&) { const auto all = net.parameters(); }); },
       .budget = 10,
       .baseline = "libtorch:parameters"},
      {.name = "named_parameters() over 200 Linears",
       .unit = "us",
       .measure =
           [] {
             return over_linears([](auto& net, auto&) { const auto all = net.named_parameters(); });
           },
       .budget = 20,
       .baseline = "libtorch:named_parameters"},
      {.name = "state_dict() of 200 Linears",
       .unit = "us",
       .measure =
           [] { return over_linears([](auto& net, auto&) { const Value s = net.state_dict(); }); },
       .budget = 60,
       .baseline = "state_dict"},
      {.name = "load_state_dict of 200 Linears 8x8",
       .unit = "us",
       .measure =
           [] { return over_linears([](auto& net, const Value& s) { net.load_state_dict(s); }); },
       .budget = 100,
       .baseline = "load_state_dict"},
  };
}

}  // namespace taper::bench
