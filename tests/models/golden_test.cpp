// Networks of models/ from a seed, compared with figures of PyTorch: scripts/golden/models.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/build.h"
#include "lstm_tagger/lstm_tagger.h"
#include "support/sampling.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/nn/registry.h"
#include "taper_paths.h"
#include "unet/unet.h"
#include "vision/registry.h"

namespace taper::test {
namespace {

using Json = nlohmann::json;

Value model_argument(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  Values items;
  for (const Json& item : value) items.push_back(model_argument(item));
  return Value::list(std::move(items));
}

std::shared_ptr<nn::Module> build_model(const std::string& name, const Json& args) {
  if (name == "UNet")
    return std::make_shared<unet::UNet>(
        args.at("n_channels").get<int>(), args.at("n_classes").get<int>(),
        unet::UNetOptions{.bilinear = args.value("bilinear", false)});
  if (name == "LSTMTagger")
    return std::make_shared<lstm_tagger::LSTMTagger>(
        args.at("embedding_dim").get<int>(), args.at("hidden_dim").get<int>(),
        args.at("vocab_size").get<int>(), args.at("tagset_size").get<int>());
  vision::register_models();
  const Value kwargs = Value::dict();
  for (const auto& [key, value] : args.items()) kwargs.as_dict().set(key, model_argument(value));
  return nn::make(name, {}, kwargs);
}

Tensor random_input(const Json& expected) {
  const Shape shape(expected.at("input").get<std::vector<std::int64_t>>());
  return expected.at("name") == "LSTMTagger"
             ? randint(0, expected.at("args").at("vocab_size").get<std::int64_t>(), shape)
             : rand(shape);
}

class Golden : public testing::TestWithParam<Json> {};

TEST_P(Golden, EqualsPyTorchFromASeed) {
  const Json& expected = GetParam();
  manual_seed(expected.at("seed").get<std::uint64_t>());
  const auto model = build_model(expected.at("name"), expected.at("args"));
  const Tensor next = rand({2});
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(next[static_cast<std::int64_t>(i)].item<double>(), expected.at("next").at(i));

  std::int64_t parameters = 0;
  for (const Tensor& p : model->parameters()) parameters += p.numel();
  EXPECT_EQ(parameters, expected.at("parameters"));
  const Value state = model->state_dict();
  const auto& entries = state.as_dict().entries();
  ASSERT_EQ(entries.size(), expected.at("entries"));
  for (const auto& [i, at] : {std::pair<std::size_t, std::size_t>{0, 0},
                              {1, entries.size() / 2},
                              {2, entries.size() - 1}})
    EXPECT_EQ(entries[at].first.as_string(), expected.at("keys").at(i));
  double sum = 0, absolute = 0;
  for (const auto& [key, value] : entries) {
    const Tensor t = value.as_tensor().detach().to(float64);
    sum += t.sum().item<double>();
    absolute += t.abs().sum().item<double>();
  }
  // The order of summation differs.
  const double tolerance = 1e-10 * expected.at("abs").get<double>();
  EXPECT_NEAR(sum, expected.at("sum").get<double>(), tolerance);
  EXPECT_NEAR(absolute, expected.at("abs").get<double>(), tolerance);

  const auto copy = model->clone_shared();
  EXPECT_EQ(copy->str(), model->str());
  EXPECT_EQ(copy->state_dict().size(), entries.size());

  if (!expected.contains("input")) return;
  const NoGrad guard;
  const Tensor input = random_input(expected);
  const auto state_of_generator = get_rng_state();
  const Tensor outputs = (*model)(input).flatten();
  set_rng_state(state_of_generator);
  EXPECT_TRUE(equal((*copy)(input).flatten(), outputs));
  const Json& first = expected.at("outputs");
  // Normalization over few values amplifies the rounding of float32.
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_NEAR(outputs[static_cast<std::int64_t>(i)].item<double>(), first[i].get<double>(),
                1e-3 * expected.at("scale").get<double>());
}

std::vector<Json> golden_rows() {
  std::ifstream file(TAPER_TEST_DATA "/models.json");
  auto rows = Json::parse(file).get<std::vector<Json>>();
  // Random numbers take most of the time of large networks, and VGG's 129 million take long under a
  // sanitizer. ModelPages runs the same code.
  const int limit = takes_sample() ? 10'000'000 : 100'000'000;
  if (build::kInstrumented)
    std::erase_if(rows, [&](const Json& row) { return row.at("parameters") > limit; });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Models, Golden, testing::ValuesIn(golden_rows()), [](const auto& info) {
  return info.param.at("name").template get<std::string>() + "_" + std::to_string(info.index);
});

}  // namespace
}  // namespace taper::test
