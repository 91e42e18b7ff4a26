// Saving in the background.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/contains.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "support/warning_capture.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using test::contains, test::read_bytes, test::TempDir, test::WarningCapture;

TEST(SaveAsync, SavesSnapshotOfCall) {
  const TempDir folder;
  for (const FileFormat format : {FileFormat::zip, FileFormat::legacy, FileFormat::safetensors}) {
    const std::string path = folder / "x.pt";
    const Tensor w = ones({300, 300});
    const Value state = Value::dict({{"w", w}});
    SaveHandle handle = save_async(state, path, {.format = format});
    w.fill_(7);
    state.as_dict().clear();
    handle.wait();
    EXPECT_TRUE(handle.done());
    EXPECT_EQ(load(path)["w"].as_tensor()[299][299].item<float>(), 1);
  }
}

TEST(SaveAsync, SnapshotPreservesSharing) {
  const TempDir folder;
  const Tensor w = arange(6.0);
  save_async(Value::list({w, w[2]}), folder / "x.pt").wait();
  const Value back = load(folder / "x.pt");
  EXPECT_TRUE(back[0].as_tensor().shares_storage_with(back[1].as_tensor()));
}

TEST(SaveAsync, SavesOfOnePathStayInOrder) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  std::vector<SaveHandle> handles;
  // Large and small saves alternate: without ordering, a small one would overtake the large one
  // before it.
  for (int i = 0; i < 8; ++i)
    handles.push_back(save_async(Value::list({i, zeros({i % 2 ? 10 : 1'000'000})}), path));
  EXPECT_EQ((save(Value::list({8}), path), load(path)[0].as_int()), 8);
  handles.clear();
  EXPECT_EQ(load(path)[0].as_int(), 8);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(SaveAsync, WaitRethrowsErrors) {
  const TempDir folder;
  SaveHandle no_folder = save_async(1, folder / "no/such/folder.pt");
  EXPECT_THROW(no_folder.wait(), IoError);
  EXPECT_THROW(no_folder.wait(), IoError);
  SaveHandle no_value = save_async(Value::list({Value::opaque({})}), folder / "x.pt");
  EXPECT_TRUE(no_value.done());
  EXPECT_THROW(no_value.wait(), TypeError);
  save(1, folder / "x.pt");  // the queue continues after errors
  SaveHandle nothing;
  nothing.wait();
  EXPECT_TRUE(nothing.done());
}

TEST(SaveAsync, WarnsOfUnobservedError) {
  const TempDir folder;
  const WarningCapture warnings;
  { const SaveHandle handle = save_async(1, folder / "no/such/folder.pt"); }
  {
    SaveHandle handle = save_async(1, folder / "no/such/folder.pt");
    EXPECT_THROW(handle.wait(), IoError);
  }
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_TRUE(contains(warnings.last(), "no/such/folder.pt"));
}

// R11.2-08
TEST(SaveTo, StreamsAndBytesEqualFileExceptFolder) {
  const TempDir folder;
  const Value v = Value::dict({{"w", arange(100.0)}});
  std::ostringstream stream;
  save(v, stream);
  const std::vector<std::byte> bytes = save_to_bytes(v);
  EXPECT_EQ(stream.str(), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_TRUE(contains(stream.str(), "archive/data.pkl"));
  save(v, folder / "archive.pt");
  EXPECT_EQ(stream.str(), read_bytes(folder / "archive.pt"));
  EXPECT_EQ(load(bytes)["w"].as_tensor()[99].item<float>(), 99);
  std::ofstream full("/dev/full");
  EXPECT_THROW(save(zeros({100'000}), full), IoError);
}

}  // namespace
}  // namespace taper
