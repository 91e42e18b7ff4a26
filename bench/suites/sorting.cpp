// Sorting, scans and embeddings of many elements.
#include "../benchmark.h"
#include "taper/taper.h"

namespace taper::bench {
namespace {

constexpr std::int64_t kCount = 1'000'000;

Tensor floats() { return randn({kCount}); }
Tensor integers() { return randint(0, kCount, {kCount}); }

/// Returns a row that measures f(make()) in milliseconds.
template <class Make, class F>
Benchmark make_row(std::string name, std::string baseline, double budget_ratio, Make make, F f) {
  return {.name = std::move(name),
          .threads = 2,
          .unit = "ms",
          .measure =
              [=] {
                const Tensor x = make();
                return seconds_per_call([&] { static_cast<void>(f(x)); }) * 1e3;
              },
          .budget_ratio = budget_ratio,
          .baseline = std::move(baseline)};
}

double embedding_step() {
  const Tensor weight = randn({50'000, 512}).set_requires_grad();
  const Tensor indices = randint(0, 50'000, {8192}), g = randn({8192, 512});
  return seconds_per_call([&] {
           weight.set_grad({});
           F::embedding(indices, weight).backward(g);
         }) *
         1e3;
}

}  // namespace

std::vector<Benchmark> sorting_suite() {
  return {
      make_row("sort of 1e6 float32", "sort", 0.8, floats, [](const Tensor& x) { return sort(x); }),
      make_row("sort of 1e6 int64", "sort_int64", 0.8, integers,
               [](const Tensor& x) { return sort(x); }),
      make_row("topk(100) of 1e6 float32", "topk", 0.8, floats,
               [](const Tensor& x) { return topk(x, 100); }),
      make_row("unique of 1e6 float32", "unique", 0.8, floats,
               [](const Tensor& x) { return unique(x); }),
      make_row("unique of 1e6 int64", "unique_int64", 0.8, integers,
               [](const Tensor& x) { return unique(x); }),
      make_row("cumsum of 1e6 float32", "cumsum", 0.8, floats,
               [](const Tensor& x) { return cumsum(x, 0); }),
      {.name = "embedding 50000x512, 8192 indices, forward and backward",
       .threads = 2,
       .unit = "ms",
       .measure = embedding_step,
       .budget_ratio = 0.6,
       .baseline = "embedding_step"}};
}

}  // namespace taper::bench
