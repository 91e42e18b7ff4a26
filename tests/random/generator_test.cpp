#include "taper/core/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "core/random/fills.h"
#include "core/random/generator_state.h"
#include "support/error_text.h"
#include "taper/core/error.h"

namespace {

using namespace taper;
using random::GeneratorLock;
using test::error_text;

std::array<float, 3> three(const Generator& generator) {
  std::array<float, 3> x{};
  fill_uniform(GeneratorLock(generator).engine, random::Target(std::span<float>(x)), 0, 1);
  return x;
}

TEST(Generator, CopiesShareStream) {
  Generator a;
  EXPECT_EQ(a.initial_seed(), 67280421310721u);
  const Generator b = a, c(67280421310721u);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  const auto first = three(a), second = three(b);
  EXPECT_NE(first, second);
  EXPECT_EQ(three(c), first);
  EXPECT_EQ(three(c), second);
  a.manual_seed(7);
  EXPECT_EQ(b.initial_seed(), 7u);
}

TEST(Generator, StateRoundTrips) {
  Generator a(3);
  three(a);
  GeneratorLock(a).engine.normal();
  const auto state = a.get_state();
  EXPECT_EQ(state.size(), 5056u);
  const Generator clone = a.clone_state();
  const auto expected = three(a);
  const double normal = GeneratorLock(a).engine.normal();
  EXPECT_EQ(three(clone), expected);
  Generator b;
  b.set_state(state);
  EXPECT_EQ(b.initial_seed(), 3u);
  EXPECT_EQ(b.get_state(), state);
  EXPECT_EQ(three(b), expected);
  EXPECT_EQ(GeneratorLock(b).engine.normal(), normal);
}

std::string error_of(Generator g, const std::vector<std::uint8_t>& state) {
  return error_text<ValueError>([&] { g.set_state(state); });
}

TEST(Generator, RejectsInvalidState) {
  Generator g(3);
  three(g);
  const auto state = g.get_state();
  auto bad = state;
  bad.pop_back();
  EXPECT_EQ(error_of(g, bad),
            "Generator.set_state: RNG state is wrong size: got 5055 bytes, expected 5056");
  EXPECT_NE(error_of(g, {}), "");
  // The offsets of left, seeded, next and the upper half of a state word.
  for (const std::size_t at : {8u, 12u, 16u, 28u}) {
    bad = state;
    bad[at] = static_cast<std::uint8_t>(bad[at] + 1);
    EXPECT_NE(error_of(g, bad), "") << at;
  }
  bad = std::vector<std::uint8_t>(5056, 0xff);
  EXPECT_NE(error_of(g, bad), "");
  EXPECT_EQ(g.get_state(), state);
}

TEST(Generator, DefaultGeneratorIsSeededForkedAndRestored) {
  EXPECT_EQ(manual_seed(5), default_generator());
  EXPECT_EQ(initial_seed(), 5u);
  EXPECT_EQ(three(default_generator()), three(Generator(5)));
  const auto before = get_rng_state();
  {
    const ForkRng fork;
    manual_seed(6);
  }
  EXPECT_EQ(get_rng_state(), before);
  const auto once = seed();
  EXPECT_EQ(initial_seed(), once);
  EXPECT_LT(once, std::uint64_t{1} << 53);
  EXPECT_NE(seed(), once);
  manual_seed(static_cast<std::uint64_t>(-1));
  EXPECT_EQ(initial_seed(), ~std::uint64_t{0});
}

TEST(Generator, ThreadsDrawWholeFills) {
  const Generator shared(1);
  constexpr std::size_t kFills = 50, kSize = 40;
  using Fill = std::array<float, kSize>;
  std::array<std::vector<Fill>, 2> drawn;
  std::vector<std::thread> threads;
  for (auto& mine : drawn)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kFills; ++i) {
        Fill x{};
        fill_normal(GeneratorLock(shared).engine, random::Target(std::span<float>(x)), 0, 1);
        mine.push_back(x);
      }
    });
  for (auto& t : threads) t.join();
  std::vector<Fill> all(drawn[0]), expected;
  all.insert(all.end(), drawn[1].begin(), drawn[1].end());
  const Generator alone(1);
  for (std::size_t i = 0; i < 2 * kFills; ++i) {
    Fill x{};
    fill_normal(GeneratorLock(alone).engine, random::Target(std::span<float>(x)), 0, 1);
    expected.push_back(x);
  }
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all, expected);
}

}  // namespace
