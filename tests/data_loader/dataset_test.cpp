// Datasets that divide and combine others.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/combine.h"
#include "taper/data/data_loader.h"
#include "taper/data/random_split.h"

namespace taper {
namespace {

using test::error_text;
using Indices = std::vector<std::int64_t>;

struct Counting {
  std::int64_t count, start = 0;
  std::int64_t size() const { return count; }
  std::int64_t get(std::int64_t i) const { return start + i; }
};

template <class D> Indices all_of(const D& dataset) {
  Indices examples;
  for (std::int64_t i = 0; i < dataset.size(); ++i) examples.push_back(dataset.get(i));
  return examples;
}

TEST(RandomSplit, DrawsThePermutationOfTheGenerator) {
  Generator generator(7), reference(7);
  const auto parts = data::random_split(Counting{5}, {2, 3}, generator);
  const auto order = test::to_vector<std::int64_t>(randperm(5, {}, reference));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].indices(), Indices(order.begin(), order.begin() + 2));
  EXPECT_EQ(parts[1].indices(), Indices(order.begin() + 2, order.end()));
}

TEST(RandomSplit, AddsRemainingExamplesToTheFirstParts) {
  const auto parts = data::random_split(Counting{101}, {0.3, 0.3, 0.4});
  EXPECT_EQ(parts[0].size(), 31);
  EXPECT_EQ(parts[1].size(), 30);
  EXPECT_EQ(parts[2].size(), 40);
}

TEST(RandomSplit, RejectsOtherSums) {
  const std::string text = "Sum of input lengths does not equal the length of the input dataset!";
  EXPECT_EQ(error_text<ValueError>([] { data::random_split(Counting{5}, {2, 2}); }), text);
  EXPECT_EQ(error_text<ValueError>([] { data::random_split(Counting{5}, {4, 2}); }), text);
  EXPECT_EQ(error_text<ValueError>([] { data::random_split(Counting{5}, {0.5, 0.4}); }), text);
  EXPECT_EQ(error_text<ValueError>([] {
              data::random_split(Counting{5}, {-0.5, 1.5});
            }),
            "Fraction at index 0 is not between 0 and 1");
  EXPECT_THROW(data::random_split(Counting{5}, {-1, 6}), ValueError);
}

TEST(ConcatDataset, FindsExamplesAcrossParts) {
  const data::ConcatDataset all(Counting{0}, Counting{3}, data::Subset(Counting{9, 30}, {8, 0}));
  EXPECT_EQ(all.cumulative_sizes(), (Indices{0, 3, 5}));
  EXPECT_EQ(all_of(all), (Indices{0, 1, 2, 38, 30}));
  EXPECT_EQ(all.get(-1), 30);
  EXPECT_THROW(all.get(5), IndexError);
  EXPECT_THROW(all.get(-6), IndexError);
  EXPECT_EQ(all_of(data::ConcatDataset(std::vector{Counting{1, 5}, Counting{1, 6}})),
            (Indices{5, 6}));
}

struct Letters {
  std::string text;
  auto iterate() const {
    return [text = text, at = std::size_t{0}]() mutable {
      return at < text.size() ? std::optional(text[at++]) : std::nullopt;
    };
  }
};

TEST(ChainDataset, IteratesOverAllParts) {
  const data::ChainDataset all(Letters{"ab"}, Letters{""}, Letters{"c"});
  for (int pass = 0; pass < 2; ++pass) {
    std::string text;
    auto next = all.iterate();
    while (const auto letter = next()) text += *letter;
    EXPECT_EQ(text, "abc");
    EXPECT_FALSE(next());
  }
}

TEST(StackDataset, ReturnsTuples) {
  const data::StackDataset pairs(Counting{3}, Counting{3, 10});
  EXPECT_EQ(pairs.size(), 3);
  EXPECT_EQ(pairs.get(-1), std::tuple(std::int64_t{2}, std::int64_t{12}));
  EXPECT_THROW(pairs.get(3), IndexError);
  EXPECT_EQ(error_text<ValueError>([] { data::StackDataset bad(Counting{3}, Counting{4}); }),
            "StackDataset: Size mismatch between datasets: got 3 and 4 examples");
}

TEST(StackDataset, ReturnsDictsOfNamedDatasets) {
  const data::StackDataset named(
      data::NamedDataset("a", Counting{3}),
      data::NamedDataset("b", data::TensorDataset(arange(6).reshape({3, 2}))));
  EXPECT_EQ(named.size(), 3);
  EXPECT_EQ(named.get(-1).repr(), "{'a': 2, 'b': (tensor([4, 5]),)}");
  EXPECT_THROW(named.get(3), IndexError);
  data::DataLoader loader(named, {.batch_size = 3});
  for (const Value& batch : loader) {
    EXPECT_EQ(batch["a"].as_tensor().str(), "tensor([0, 1, 2])");
    EXPECT_EQ(batch["b"][0].as_tensor().shape(), Shape({3, 2}));
  }
}

TEST(StackDataset, RejectsEqualNames) {
  const data::NamedDataset a("a", Counting{3});
  EXPECT_EQ(error_text<ValueError>([&] { data::StackDataset bad(a, a); }),
            "StackDataset: two datasets have the name 'a'");
  const data::NamedDataset b("b", Counting{4});
  EXPECT_EQ(error_text<ValueError>([&] { data::StackDataset bad(a, b); }),
            "StackDataset: Size mismatch between datasets: got 3 and 4 examples");
}

TEST(VectorDataset, ReturnsElementsAndCountsFromTheEnd) {
  const data::VectorDataset words(std::vector<std::string>{"a", "b", "c"});
  EXPECT_EQ(words.size(), 3);
  EXPECT_EQ(words.get(1), "b");
  EXPECT_EQ(words.get(-1), "c");
  EXPECT_THROW(words.get(3), IndexError);
  EXPECT_THROW(words.get(-4), IndexError);
  const auto parts = data::random_split(words, {2, 1});
  EXPECT_EQ(parts[0].size(), 2);
}

TEST(VectorDataset, IsTheDatasetOfALoaderOfAVector) {
  std::vector<std::pair<Tensor, std::int64_t>> pairs{{ones({2}), 3}, {zeros({2}), 4}};
  data::DataLoader loader(pairs, {.batch_size = 2});
  pairs.clear();  // the loader has a copy
  EXPECT_EQ(loader.size(), 1);
  for (const auto& [values, numbers] : loader) {
    EXPECT_EQ(values.shape(), Shape({2, 2}));
    EXPECT_EQ(numbers.str(), "tensor([3, 4])");
  }
  const auto count = [](std::vector<bool>&& flags) { return flags.size(); };
  data::DataLoader flags(std::vector<bool>{true, false, true}, {.batch_size = 2}, count);
  std::vector<std::size_t> sizes;
  for (const std::size_t size : flags) sizes.push_back(size);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1}));
}

}  // namespace
}  // namespace taper
