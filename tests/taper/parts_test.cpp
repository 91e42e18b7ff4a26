// Building blocks of the subcommands: patterns, literals, text, statistics, distances.
#include <gtest/gtest.h>

#include <cmath>

#include "characters.h"
#include "command.h"
#include "compare.h"
#include "glob.h"
#include "literal.h"
#include "pattern.h"
#include "taper/core/factory.h"
#include "tensor_stats.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

using taper::Tensor;

TEST(Glob, MatchesNames) {
  EXPECT_TRUE(glob_matches("layer*.weight", "layer1.0.weight"));
  EXPECT_FALSE(glob_matches("layer*.weight", "layer1.0.bias"));
  EXPECT_TRUE(glob_matches("?[a-c][!x]", "xby"));
  EXPECT_FALSE(glob_matches("?[a-c][!x]", "xbx"));
  EXPECT_TRUE(glob_matches("a[", "a["));
  EXPECT_TRUE(glob_matches("", ""));
  // Backtracking over the text that each star matches would take exponential time.
  EXPECT_FALSE(glob_matches("a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
  EXPECT_TRUE(matches_name_or_module("layer1", "layer1.0.weight"));
  EXPECT_TRUE(matches_name_or_module("*.0", "layer1.0.weight"));
  EXPECT_FALSE(matches_name_or_module("layer", "layer1.0.weight"));
}

TEST(Glob, RenamesWithMatchesOfStars) {
  Renames r;
  r.add_glob("module.*=*");
  r.add_glob("*.gamma=*.weight");
  EXPECT_EQ(r("module.bn1.gamma"), "bn1.weight");
  EXPECT_EQ(r("module"), "module");
  Renames two;
  two.add_glob("a.*.b.*=x.*.*");
  EXPECT_EQ(two("a.1.2.b.3"), "x.1.2.3");
}

TEST(Literal, ParsesPythonLiterals) {
  EXPECT_EQ(parse_literal("3").repr(), "3");
  EXPECT_EQ(parse_literal("-1e-3").repr(), "-0.001");
  EXPECT_EQ(parse_literal("(3, 3)").repr(), "(3, 3)");
  EXPECT_EQ(parse_literal("[1, (2,), None, True]").repr(), "[1, (2,), None, True]");
  EXPECT_EQ(parse_literal("same").repr(), "'same'");
  EXPECT_EQ(parse_literal("'a, b'").repr(), "'a, b'");
  for (const char* wrong : {"(1", "[1 2]", "3x", "(", "--3"})
    EXPECT_THROW(parse_literal(wrong), UsageError) << wrong;
  EXPECT_THROW(parse_literal(std::string(500, '(')), UsageError);
}

TEST(Words, EscapesTextForTerminals) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(44'700'000), "44.7 MB");
  EXPECT_EQ(format_bytes(999'960), "1.0 MB");
  EXPECT_EQ(printable("a\033[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable(std::string(1000, 'x'), 3), "xxx…");
  // Characters that reverse the direction of text and invisible spaces are escaped.
  EXPECT_EQ(printable("a\u202eb\u200bc\ufeff"), "a\\u202eb\\u200bc\\ufeff");
  EXPECT_EQ(printable("\u0085\U000e0041"), "\\x85\\U000e0041");
  EXPECT_EQ(width_of("größe…"), 6u);
  EXPECT_EQ(width_of("日本語"), 6u);
  EXPECT_EQ(width_of("e\u0301"), 1u);
  EXPECT_EQ(shortened("layer1.weight", 13), "layer1.weight");
  EXPECT_EQ(shortened("layer1.0.weight", 9), "laye…ight");
  EXPECT_EQ(shortened("日本語日本語", 7), "日…語");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("longer-than-that", 5, 0), "longer-than-that");
  EXPECT_EQ(draw_bar(0.5, 4), "██");
}

const taper::TensorOptions kDouble{.dtype = taper::float64};

TensorItem item_of(const Tensor& t) {
  TensorItem item;
  item.tensor = t, item.shape = t.shape();
  return item;
}

TEST(Stats, MatchOps) {
  taper::manual_seed(1);
  const Tensor wide = taper::randn({100, 130}) * 3 + 1;
  for (const Tensor& t :
       {wide, wide.t(), wide.narrow(1, 3, 7), wide.to(taper::float64), wide.to(taper::int32)}) {
    const TensorStats s = stats_of(item_of(t));
    const Tensor d = t.to(taper::float64);
    EXPECT_EQ(s.count, t.numel());
    EXPECT_EQ(s.min, d.min().item<double>());
    EXPECT_EQ(s.max, d.max().item<double>());
    EXPECT_NEAR(s.mean, d.mean().item<double>(), 1e-12);
    EXPECT_NEAR(s.std, d.std().item<double>(), 1e-10);
    std::uint64_t all = 0;
    for (const std::uint64_t n : s.histogram) all += n;
    EXPECT_EQ(all, static_cast<std::uint64_t>(t.numel()));
  }
}

TEST(Stats, CountValuesInCorrectBins) {
  // The order of the values makes the histogram grow on both sides repeatedly.
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i) values.push_back(1e-6 * i);
  for (int i = 0; i < 6000; ++i) values.push_back((i % 2 ? -1.0 : 1.0) * i);
  const TensorStats s = stats_of(
      item_of(taper::tensor(std::span<const double>(values), taper::Shape(values.size()))), 4);
  ASSERT_EQ(s.histogram.size(), 4u);
  EXPECT_NEAR(static_cast<double>(s.histogram[0]), 1500, 20);
  EXPECT_NEAR(static_cast<double>(s.histogram[1] + s.histogram[2]), 7000, 20);
  EXPECT_NEAR(static_cast<double>(s.histogram[3]), 1500, 20);
}

TEST(Stats, SupportExtremeValues) {
  for (const double v : {0.0, 1e308, -1e308, 5e-324, 1.0}) {
    const TensorStats s = stats_of(item_of(taper::tensor({v, v, v}, kDouble)));
    EXPECT_EQ(s.min, v);
    EXPECT_DOUBLE_EQ(s.mean, v);
    ASSERT_FALSE(s.histogram.empty());
    EXPECT_EQ(s.histogram[0], 3u);
  }
  const TensorStats far = stats_of(item_of(taper::tensor({-1.7e308, 1.7e308, 1e-300}, kDouble)));
  ASSERT_FALSE(far.histogram.empty());
  EXPECT_EQ(far.histogram.front(), 1u);
  EXPECT_EQ(far.histogram.back(), 1u);
  EXPECT_TRUE(std::isnan(stats_of(item_of(taper::zeros({0}))).mean));
}

TEST(Stats, ReadExpandedElementsOnce) {
  const Tensor t = taper::tensor({1.0, 3.0}).unsqueeze(1).expand({2, 1'000'000'000'000});
  const TensorStats s = stats_of(item_of(t));
  EXPECT_EQ(s.count, 2'000'000'000'000);
  EXPECT_EQ(s.mean, 2);
  EXPECT_NEAR(s.std, 1, 1e-9);
}

TEST(Distances, AreExactForLargeIntegers) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const taper::ElementDifference d =
      taper::element_difference(taper::tensor({large}), taper::tensor({large - 1}), {});
  EXPECT_EQ(d.num_different, 1);
  EXPECT_EQ(d.max_abs_diff, 1);
}

TEST(Distances, DistinguishSignedAndUnsigned) {
  constexpr std::uint64_t kLargest = ~std::uint64_t{0};
  const Tensor large = taper::tensor(std::span<const std::uint64_t>(&kLargest, 1), {1});
  const Tensor zero = taper::zeros({1}, {.dtype = taper::uint64});
  const Tensor minus_one = taper::tensor({-1}), one = taper::tensor({1});
  const auto distance = [](const Tensor& a, const Tensor& b) {
    return taper::element_difference(a, b, {}).max_abs_diff;
  };
  EXPECT_EQ(distance(large, zero), 0x1p64);
  EXPECT_EQ(distance(large, minus_one), 0x1p64);
  EXPECT_EQ(distance(one, large), 0x1p64);
  EXPECT_EQ(taper::element_difference(large, large, {}).num_different, 0);
  EXPECT_EQ(
      taper::element_difference(one, taper::ones({1}, {.dtype = taper::uint64}), {}).num_different,
      0);
}

TEST(Distances, FollowStrides) {
  const Tensor t = taper::arange(6).view({2, 3});
  EXPECT_EQ(taper::element_difference(t, t.t().contiguous().t(), {}).num_different, 0);
  EXPECT_EQ(fingerprint(t), fingerprint(t.t().contiguous().t()));
  EXPECT_NE(fingerprint(t), fingerprint(t.t()));
}

TEST(Pattern, ReplacesEachMatch) {
  const auto replaced = [](const char* pattern, const char* text, const char* by) {
    return Pattern::compile(pattern)->replace(text, by);
  };
  EXPECT_EQ(replaced("\\.bn([0-9])\\.", "a.bn1.b.bn2.c", ".norm$1."), "a.norm1.b.norm2.c");
  EXPECT_EQ(replaced("^module\\.", "module.module.fc", ""), "module.fc");
  EXPECT_EQ(replaced("x*", "axb", "-"), "-a--b-");
  EXPECT_EQ(replaced("b", "abc", "[$&$$]"), "a[b$]c");
  EXPECT_EQ(replaced("fc$", "fc.fc", "$2head"), "fc.head");
  EXPECT_FALSE(Pattern::compile("(").has_value());
  // The text is long, because std::regex recurses for each character.
  EXPECT_EQ(replaced("(a|b)*c", (std::string(1'000'000, 'a') + "c").c_str(), "x"), "x");
}

}  // namespace
}  // namespace taper::cli
