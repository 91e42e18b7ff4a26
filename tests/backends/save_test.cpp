// Saving and loading tensors of other devices.
#include <gtest/gtest.h>

#include "probe.h"
#include "support/temp_dir.h"
#include "taper/taper.h"

namespace taper {
namespace {

/// Returns a dict of the tensor 0, 1, 2, ... on the probe device and a view of it.
Value there() {
  probe();
  const Tensor t = arange(6.0).to("probe:1");
  return Value::dict({{"t", t}, {"row", t.view({2, 3})[1]}});
}

// R11.3-57
TEST(SaveFromDevices, FilesStoreDevicesOfTensors) {
  for (const FileFormat format : {FileFormat::zip, FileFormat::legacy}) {
    const std::vector<std::byte> bytes = save_to_bytes(there(), {.format = format});
    const Value back = load(bytes);
    EXPECT_EQ(back["t"].as_tensor().device().str(), "probe:1");
    EXPECT_TRUE(back["t"].as_tensor().shares_storage_with(back["row"].as_tensor()));
    const Value here = load(bytes, {.map_location = Device::cpu()});
    EXPECT_TRUE(here["t"].as_tensor().device().is_cpu());
    EXPECT_EQ(here["row"].as_tensor()[2].item<float>(), 5);
  }
}

TEST(SaveFromDevices, SafetensorsAndAsyncSnapshotsContainElements) {
  const Value v = there();
  v.as_dict().erase("row");
  const Value back = load(save_to_bytes(v, {.format = FileFormat::safetensors}));
  EXPECT_TRUE(back["t"].as_tensor().device().is_cpu());
  EXPECT_EQ(back["t"].as_tensor()[5].item<float>(), 5);

  const test::TempDir dir;
  const std::string path = dir / "x.pt";
  SaveHandle handle = save_async(v, path);
  v["t"].as_tensor().zero_();
  handle.wait();
  EXPECT_EQ(load(path, {.map_location = Device::cpu()})["t"].as_tensor()[5].item<float>(), 5);
}

}  // namespace
}  // namespace taper
