// Compiles and runs the programs of docs/files.md.
#include <gtest/gtest.h>

#include <fstream>

#include "assemble.h"
#include "support/contains.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/taper.h"

namespace taper {
namespace {

using namespace test;

Value checkpoint_of(const Value& model) { return Value::dict({{"model", model}, {"epoch", 7}}); }

TEST(FilesDoc, ReadsFiles) {
  const TempDir folder;
  const std::string path = folder / "checkpoint.pt";
  nn::Linear net(3, 2);
  save(checkpoint_of(net.state_dict()), path);

  const Value file = load(path);  // .pt, .pth, .safetensors, .npz, ...: detected from the contents
  net.load_state_dict(file["model"]);
  const std::int64_t epoch = file["epoch"].as_int();
  EXPECT_EQ(epoch, 7);

  const Value mine = load(path, {.mmap = false});  // read into memory: the file may change
  const Value here = load(path, {.map_location = Device::cpu()});  // wherever it was saved
  const Value safe = load(path, {.strict = true});   // no more than torch.load(weights_only=True)
  const Value sound = load(path, {.verify = true});  // reads all of it, compares checksums
  for (const Value& v : {mine, here, safe, sound})
    EXPECT_TRUE(equal(v["model"]["weight"].as_tensor(), net.weight));

  std::ifstream stream(path, std::ios::binary);
  const Value streamed = load(stream);
  const std::vector<std::byte> bytes = save_to_bytes(file);
  const Value copied = load(bytes);
  EXPECT_TRUE(equal(streamed["model"]["bias"].as_tensor(), copied["model"]["bias"].as_tensor()));
}

TEST(FilesDoc, ReadsOpaqueObjects) {
  const TempDir folder;
  const std::string path = folder / "args.pt";
  write_bytes(path, checkpoint(pickle(dict({{"args", name("argparse", "Namespace") + ")\x81" +
                                                         dict({{"width", number(64)}}) + "b"}}))));
  const Value file = load(path);
  const Value args = file["args"];  // an argparse.Namespace, as data
  EXPECT_EQ(args.kind(), Value::Kind::opaque);
  EXPECT_EQ(args.as_opaque().callable.as_global().second, "Namespace");
  EXPECT_EQ(args.as_opaque().state["width"].as_int(), 64);
}

TEST(FilesDoc, WritesFiles) {
  const TempDir folder;
  nn::Linear net(3, 2);
  const Value state = net.state_dict();
  save(state, folder / "net.pt");  // torch.load("net.pt", weights_only=True)
  save(state, folder / "net.safetensors",
       {.format = FileFormat::safetensors, .metadata = {{{"format", "pt"}}}});
  save(state, folder / "old.pth", {.format = FileFormat::legacy});  // for PyTorch before 1.6
  save(state, folder / "model.safetensors",
       {.format = FileFormat::safetensors, .max_shard_size = "5GB"});

  const Tensor weight = net.weight.clone();
  const std::pair<const char*, FileKind> saved_files[] = {
      {"net.pt", FileKind::torch_zip},
      {"net.safetensors", FileKind::safetensors},
      {"old.pth", FileKind::torch_legacy},
      {"model.safetensors", FileKind::safetensors}};
  for (const auto& [name, kind] : saved_files) {
    EXPECT_EQ(file_kind(folder / name), kind) << name;
    const Value read = load(folder / name);
    EXPECT_TRUE(equal(read["weight"].as_tensor(), weight)) << name;
    EXPECT_TRUE(equal(read["bias"].as_tensor(), net.bias->clone())) << name;
  }
  EXPECT_TRUE(contains(read_bytes(folder / "net.safetensors"), R"("format":"pt")"));
  write_bytes(folder / "net.pt", "overwritten by save_async");

  SaveHandle saved = save_async(state, folder / "net.pt");  // copied now, written in the background
  net.weight.data().zero_();
  saved.wait();  // rethrows an error of the save
  const Value again = load(folder / "net.pt");
  EXPECT_TRUE(equal(again["weight"].as_tensor(), weight));
  EXPECT_FALSE(equal(again["weight"].as_tensor(), net.weight));
}

}  // namespace
}  // namespace taper
