// default_collate and default_convert of Values.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"

namespace taper {
namespace {

using test::error_text;

TEST(DefaultCollate, CombinesNestedValues) {
  const auto example = [](std::int64_t i) {
    return Value::dict(
        {{"x", ones({2})}, {"name", std::to_string(i)}, {"pair", Value::tuple({i, 0.5})}});
  };
  const Value batch = data::default_collate({example(1), example(2)});
  EXPECT_EQ(batch["x"].as_tensor().shape(), Shape({2, 2}));
  EXPECT_EQ(batch["name"].as_list(), (Values{"1", "2"}));
  EXPECT_EQ(test::to_vector<std::int64_t>(batch["pair"][0].as_tensor()),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(batch["pair"][1].as_tensor().dtype(), DType::f64);
  EXPECT_EQ(error_text<TypeError>([] {
              data::default_collate({ones({1}), 2});
            }),
            "expected Tensor as element 1 in argument 0, but got int");
  EXPECT_THROW(static_cast<void>(data::default_collate({})), IndexError);
}

TEST(DefaultCollate, RejectsDeepNesting) {
  Value deep = 1;
  for (int i = 0; i < 100'000; ++i) deep = Value::list({deep});
  EXPECT_EQ(error_text<ValueError>([&] { static_cast<void>(data::default_collate({deep})); }),
            "default_collate: the data is nested deeper than 1000 levels");
  EXPECT_THROW(static_cast<void>(data::default_convert(deep)), ValueError);
}

Value named_example(std::int64_t i) {
  return Value::named_tuple("Example", {{"x", ones({2}) * i}, {"name", std::to_string(i)}});
}

TEST(DefaultCollate, PreservesNamedTuples) {
  const Value batch = data::default_collate({named_example(1), named_example(2)});
  EXPECT_EQ(batch.type_name(), "Example");
  EXPECT_EQ(batch.item_names(), (std::vector<std::string>{"x", "name"}));
  EXPECT_EQ(batch["x"].as_tensor().shape(), Shape({2, 2}));
  EXPECT_EQ(batch["name"].as_tuple(), (Values{"1", "2"}));
  const Value other = Value::named_tuple("Example", {{"x", 1}});
  EXPECT_THROW(static_cast<void>(data::default_collate({named_example(1), other})), RuntimeError);
}

TEST(DefaultConvert, PreservesNamedTuples) {
  const Value data = Value::named_tuple("P", {{"x", Value::tuple({1, 2})}, {"y", "a"}});
  EXPECT_EQ(data::default_convert(data).repr(), "P(x=[1, 2], y='a')");
}

TEST(DataLoader, CollatesNamedTuples) {
  struct Named {
    std::int64_t size() const { return 3; }
    Value get(std::int64_t i) const { return named_example(i); }
  };
  data::DataLoader loader(Named{}, {.batch_size = 3, .num_workers = 2});
  for (const Value& batch : loader)
    EXPECT_EQ(batch.repr(),
              "Example(x=tensor([[0., 0.],\n        [1., 1.],\n        [2., 2.]]), "
              "name=('0', '1', '2'))");
}

}  // namespace
}  // namespace taper
