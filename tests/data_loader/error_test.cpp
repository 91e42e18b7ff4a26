// DataLoader: errors name the examples that they concern.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"

namespace taper {
namespace {

using data::DataLoader, data::DataLoaderOptions;
using test::error_text;

/// Reads all batches of an epoch.
template <class L> int read_all(L& loader) {
  int count = 0;
  for (auto& batch : loader) {
    static_cast<void>(batch);
    ++count;
  }
  return count;
}

/// Returns the message of the first error of an epoch with and without workers.
template <class E = Error, class L> std::string first_error(const L& make_loader) {
  std::string text;
  for (const int workers : {0, 2}) {
    auto loader = make_loader(DataLoaderOptions{.batch_size = 3, .num_workers = workers});
    const std::string found = error_text<E>([&] { return read_all(loader); });
    if (workers > 0) { EXPECT_EQ(found, text); }
    text = found;
  }
  return text;
}

/// UnreadableRows whose batches cannot be read beyond an index.
struct UnreadableRows {
  std::int64_t size() const { return 7; }
  Tensor get(std::int64_t i) const { return ones({i < 5 ? 2 : 3}); }
  Tensor get_batch(std::span<const std::int64_t> indices) const {
    for (const std::int64_t i : indices)
      if (i >= 5) fail_at(i);
    return ones({static_cast<std::int64_t>(indices.size()), 2});
  }
  static void fail_at(std::int64_t i) {
    throw IoError("rows: cannot read row " + std::to_string(i));
  }
};

struct UnequalRows {
  std::int64_t size() const { return 7; }
  Tensor get(std::int64_t i) const { return ones({i < 5 ? 2 : 3}); }
};

TEST(DataLoaderErrors, NameTheExamplesOfABatchThatCannotBeRead) {
  EXPECT_EQ(first_error<IoError>([](const DataLoaderOptions& options) {
              return DataLoader(UnreadableRows(), options);
            }),
            "DataLoader: examples 3, 4, 5: rows: cannot read row 5");
}

TEST(DataLoaderErrors, NameTheExamplesThatCannotBeCombined) {
  EXPECT_EQ(first_error([](const DataLoaderOptions& options) {
              return DataLoader(UnequalRows(), options);
            }),
            "DataLoader: examples 3, 4, 5: stack: expects each tensor to be equal size, but got "
            "[2] at entry 0 and [3] at entry 2");
}

TEST(DataLoaderErrors, NameTheExamplesOfAFailingCollateFn) {
  const auto collate = [](std::vector<Tensor>&& examples) -> Tensor {
    if (examples.size() < 3) throw std::runtime_error("too few");
    return examples[0];
  };
  EXPECT_EQ(first_error<RuntimeError>([&](const DataLoaderOptions& options) {
              return DataLoader(UnequalRows(), options, collate);
            }),
            "DataLoader: example 6: too few");
}

TEST(DataLoaderErrors, ListTheFirstExamplesOfALargeBatch) {
  DataLoader loader(UnreadableRows(), {.batch_size = 7});
  EXPECT_EQ(error_text([&] { return read_all(loader); }),
            "DataLoader: examples 0, 1, 2, 3, 4, 5, 6: rows: cannot read row 5");
  const auto collate = [](std::vector<Tensor>&&) -> Tensor { throw std::runtime_error("no"); };
  DataLoader large(data::Subset(UnequalRows(), {2, 1, 0, 2, 3, 4, 5, 6, 0, 0}), {.batch_size = 10},
                   collate);
  EXPECT_EQ(error_text([&] { return read_all(large); }),
            "DataLoader: examples 0, 1, 2, 3, 4, 5, 6, 7, ...: no");
}

TEST(DataLoaderErrors, NameTheIndexIfADatasetShrinksBetweenEpochs) {
  struct VariableRows {
    std::shared_ptr<std::vector<Tensor>> rows;
    std::int64_t size() const { return static_cast<std::int64_t>(rows->size()); }
    Tensor get(std::int64_t i) const { return (*rows).at(static_cast<std::size_t>(i)); }
  };
  for (const int workers : {0, 2}) {
    const auto rows = std::make_shared<std::vector<Tensor>>(7, ones({2}));
    DataLoader loader(VariableRows{rows}, {.batch_size = 3, .num_workers = workers});
    EXPECT_EQ(read_all(loader), 3);
    rows->resize(4);
    const std::string text = error_text([&] { return read_all(loader); });
    EXPECT_TRUE(text.starts_with("DataLoader: example 4: ")) << text;
    rows->resize(7, ones({2}));
    EXPECT_EQ(read_all(loader), 3) << "the loader continues with the next epoch";
  }
}

}  // namespace
}  // namespace taper
