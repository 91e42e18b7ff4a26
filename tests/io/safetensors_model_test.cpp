// Modules in safetensors files.
#include "taper/nn/safetensors_model.h"

#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/nn/nn.h"

namespace taper {
namespace {

using test::contains, test::error_text, test::TempDir;

/// Two layers that share their weight if `tied`. The order of their names differs from the order of
/// the members.
struct Net : nn::Module {
  TAPER_MODULE(Net, b, a)
  nn::Linear b{3, 3}, a{3, 3};
  explicit Net(bool tied) {
    if (tied) a.weight = b.weight;
  }
};

// R11.7-16, R11.7-18
TEST(SafetensorsModel, TiedWeightsAreStoredOnceUnderFirstName) {
  const TempDir folder;
  const std::string path = folder / "m.safetensors";
  Net net(true);
  nn::save_model(net, path);
  const Value file = load(path);
  EXPECT_EQ(file.size(), 3u);
  EXPECT_TRUE(file.contains("a.weight"));
  EXPECT_EQ(file.as_dict().attribute("__metadata__")->str(), "{'b.weight': 'a.weight'}");
  EXPECT_EQ(file.as_dict().attribute("_metadata"), nullptr);
  // The metadata that the caller passes takes precedence over the names of tied tensors.
  nn::save_model(net, path, {.metadata = {{{"b.weight", "mine"}, {"format", "pt"}}}});
  const Value again = load(path);
  EXPECT_EQ(again.as_dict().attribute("__metadata__")->str(),
            "{'b.weight': 'mine', 'format': 'pt'}");
}

// R11.7-16
TEST(SafetensorsModel, RejectsSharedMemoryThatNoTensorCovers) {
  const TempDir folder;
  Net net(false);
  const Tensor all = zeros({12});
  net.a.weight.set_data(all.slice(0, 0, 9).view({3, 3}));
  net.b.weight.set_data(all.slice(0, 3, 12).view({3, 3}));
  EXPECT_TRUE(
      contains(error_text<RuntimeError>([&] { nn::save_model(net, folder / "m.safetensors"); }),
               "for saving amongst: {'a.weight', 'b.weight'}. None is"));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(SafetensorsModel, CopiesNonContiguousTensorsUnlessForbidden) {
  const TempDir folder;
  Net net(false);
  net.a.weight.set_data(arange(9.0).view({3, 3}).t());
  nn::save_model(net, folder / "m.safetensors");
  const Value file = load(folder / "m.safetensors");
  EXPECT_EQ(file["a.weight"].as_tensor()[0][1].item<float>(), 3);
  EXPECT_TRUE(contains(error_text<ValueError>([&] {
                         nn::save_model(net, folder / "m.safetensors", {.force_contiguous = false});
                       }),
                       "Or use save_model(..., force_contiguous=True)"));
}

// R11.7-17
TEST(SafetensorsModel, TiedNamesAreNotMissing) {
  const TempDir folder;
  const std::string path = folder / "m.safetensors";
  Net from(true), tied(true), untied(false);
  nn::save_model(from, path);
  const nn::LoadedModel loaded = nn::load_model(tied, path);
  EXPECT_TRUE(loaded.missing.empty());
  EXPECT_TRUE(loaded.unexpected.empty());
  EXPECT_EQ(tied.b.weight[1][2].item<float>(), from.b.weight[1][2].item<float>());
  const nn::LoadedModel partly = nn::load_model(untied, path, {.strict = false});
  EXPECT_EQ(partly.missing, std::vector<std::string>{"b.weight"});
  EXPECT_EQ(error_text<RuntimeError>([&] { nn::load_model(untied, path); }),
            "Error(s) in loading state_dict for Net:\n"
            "    Missing key(s) in state_dict: \"b.weight\"");
}

// R11.7-17
TEST(SafetensorsModel, ListsMissingAndUnexpectedKeysInOrder) {
  const TempDir folder;
  const std::string path = folder / "m.safetensors";
  nn::Sequential large{nn::Linear(2, 2), nn::Linear(2, 2)};
  nn::save_model(large, path);
  nn::Linear small(2, 2);
  EXPECT_EQ(error_text<RuntimeError>([&] { nn::load_model(small, path); }),
            "Error(s) in loading state_dict for Linear:\n"
            "    Missing key(s) in state_dict: \"bias\", \"weight\"\n"
            "    Unexpected key(s) in state_dict: \"0.bias\", \"0.weight\", \"1.bias\", "
            "\"1.weight\"");
}

}  // namespace
}  // namespace taper
