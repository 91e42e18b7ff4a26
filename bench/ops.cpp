#include "ops.h"

#include <benchmark/benchmark.h>

#include "ops/cost.h"
#include "ops/op_cases.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

void time_case(benchmark::State& state, const optest::OpCase& c) {
  NoGrad guard;
  const std::vector<Tensor> inputs = optest::draw(c.sample, DType::f32, 1);
  const std::vector<Tensor> outs = optest::call(c, inputs);
  const std::vector<OpInput> ins(inputs.begin(), inputs.end());
  const Cost cost = cost_of(*c.op, c.sample.attributes.get(), ins, outs);
  for (auto _ : state) benchmark::DoNotOptimize(optest::call(c, inputs));
  using benchmark::Counter;
  state.counters["bytes"] =
      Counter(cost.bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
  state.counters["flops"] = Counter(cost.flops, Counter::kIsIterationInvariantRate);
}

}  // namespace

void time_ops(const std::string& name_filter) {
  set_num_threads(1);
  for (const optest::OpCase& c : optest::all_cases())
    if (c.name().find(name_filter) != std::string::npos)
      benchmark::RegisterBenchmark(c.name().c_str(), time_case, c)->MinTime(0.02);
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace taper::bench
