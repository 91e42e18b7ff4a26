// The subcommand `taper diff`.
#include <gtest/gtest.h>

#include "command.h"
#include "taper/core/factory.h"
#include "taper/io/save.h"
#include "taper/nn/linear.h"
#include "taper/nn/python_interop.h"

namespace taper::cli::test {
namespace {

using taper::FileFormat;
using taper::Value;

class DiffCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const Value& value,
                   FileFormat format = FileFormat::zip) const {
    taper::save(value, folder / name, {.format = format});
    return folder / name;
  }
  TempDir folder;
};

TEST_F(DiffCommand, FindsNoDifferenceBetweenFormats) {
  const std::string zip = file("a.pt", small_state()),
                    legacy = file("b.pth", small_state(), FileFormat::legacy),
                    safe = file("c.safetensors", small_state(), FileFormat::safetensors);
  for (const std::string& other : {legacy, safe}) {
    const Outcome o = run({"diff", zip, other});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(o.out, "no difference: 3 tensors agree\n");
  }
}

TEST_F(DiffCommand, ListsLargestDifferencesFirst) {
  const Value changed = small_state();
  changed["fc.weight"] = changed["fc.weight"].as_tensor() + 0.125;
  changed["fc.bias"] = taper::tensor({0.5f, 1.5f, 0.25f});
  const Outcome o = run({"diff", file("a.pt", small_state()), file("b.pt", changed), "--json"});
  EXPECT_EQ(o.status, 1);
  const auto tensors = o.json()["tensors"];
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0]["name"], "fc.bias");
  EXPECT_EQ(tensors[0]["max_abs_diff"], 2.0);
  EXPECT_EQ(tensors[0]["index"], std::vector<int>{1});
  EXPECT_EQ(tensors[0]["num_different"], 1);
  EXPECT_EQ(tensors[1]["max_abs_diff"], 0.125);
  EXPECT_EQ(tensors[1]["num_different"], 6);
  EXPECT_EQ(o.json()["equal"], false);
}

TEST_F(DiffCommand, AppliesTolerances) {
  const Value changed = small_state();
  changed["fc.weight"] = changed["fc.weight"].as_tensor() * 1.001;
  const std::string a = file("a.pt", small_state()), b = file("b.pt", changed);
  EXPECT_EQ(run({"diff", a, b}).status, 1);
  EXPECT_EQ(run({"diff", a, b, "--rtol", "0.01"}).status, 0);
  EXPECT_EQ(run({"diff", a, b, "--atol", "0.001"}).status, 1);
  EXPECT_EQ(run({"diff", a, b, "--atol", "0.01"}).status, 0);
}

TEST_F(DiffCommand, ReportsShapesAndDtypes) {
  const Value changed = small_state();
  changed["fc.weight"] = taper::zeros({2, 3});
  changed["fc.bias"] = changed["fc.bias"].as_tensor().to(taper::float16);
  const auto tensors =
      run({"diff", file("a.pt", small_state()), file("b.pt", changed), "--json"}).json()["tensors"];
  EXPECT_EQ(tensors[0]["what"], "shape");
  EXPECT_EQ(tensors[1]["what"], "dtype");
  EXPECT_EQ(tensors[1]["dtype"], (std::vector<std::string>{"float32", "float16"}));
}

TEST_F(DiffCommand, DetectsRenames) {
  const Value renamed = Value::dict(), state = small_state();
  for (const auto& [key, v] : state.as_dict())
    renamed.as_dict().set("module." + key.as_string(), v);
  renamed["module.fc.bias"] = taper::zeros({3});
  const Outcome o = run({"diff", file("a.pt", small_state()), file("b.pt", renamed), "--json"});
  const auto renames = o.json()["renames"];
  ASSERT_EQ(renames.size(), 3u);
  EXPECT_EQ(renames[0]["from"], "fc.weight");
  EXPECT_EQ(renames[0]["to"], "module.fc.weight");
  EXPECT_EQ(renames[0]["same_values"], true);
  EXPECT_EQ(renames[1]["same_values"], false);
  const Outcome text = run({"diff", folder / "a.pt", folder / "b.pt"});
  EXPECT_TRUE(contains(text.out, "*  ->  module.*  3 tensors  2 with the same values"));
}

TEST_F(DiffCommand, ReportsValuesOtherThanTensors) {
  const std::string a = file("a.pt",
                             Value::dict({{"epoch", 3}, {"lr", 0.5}, {"model", small_state()}})),
                    b = file("b.pt", Value::dict({{"epoch", 4}, {"model", small_state()}}));
  const Outcome o = run({"diff", a, b, "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.json()["values"].size(), 2u);
  EXPECT_EQ(run({"diff", a, b, "--key", "model"}).status, 0);
  const std::string weights = file("c.pt", small_state());
  EXPECT_EQ(run({"diff", a, weights, "--key-a", "model"}).status, 0);
  EXPECT_TRUE(contains(run({"diff", a, weights}).out, "--key-a model to compare that part"))
      << "a hint";
}

TEST_F(DiffCommand, ComparesPickledModulesByStateDict) {
  taper::nn::Linear fc(2, 3);
  const std::string a = file("a.pt", taper::nn::to_pickle(fc)), b = file("b.pt", fc.state_dict());
  const Outcome o = run({"diff", a, b});
  EXPECT_EQ(o.status, 0) << o.out;
}

}  // namespace
}  // namespace taper::cli::test
