// Folders of torch.distributed.checkpoint: nested values, pieces of tensors, rejected files.
#include "taper/io/distributed_checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/dcp/metadata.h"
#include "io/dcp/reader.h"
#include "io/dcp/writer.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/sampling.h"
#include "support/temp_dir.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/io/checkpoint_files.h"
#include "taper/io/load.h"

namespace taper::distributed::checkpoint {
namespace {

using test::contains, test::error_text, test::read_bytes, test::TempDir, test::write_bytes;

constexpr const char* kFirstFile = "__0_0.distcp";
constexpr const char* kSecondFile = "__1_0.distcp";

/// A folder with the tensor "w" of [4, 2] in two pieces of two files, and the value "step".
struct DcpFolder {
  TempDir dir;
  Metadata metadata{};
  Tensor w = arange(8).to(DType::f32).view({4, 2});

  DcpFolder() {
    io::DcpPieceFile first(dir / kFirstFile), second(dir / kSecondFile);
    EntryMetadata tensor{.name = "model.w", .path = {"model", "w"}};
    tensor.tensor =
        TensorStorageMetadata{"float32", DType::f32, {4, 2}, {{{0, 0}, {3, 2}}, {{3, 0}, {1, 2}}}};
    tensor.storage = {first.append(w.narrow(0, 0, 3)), second.append(w.narrow(0, 3, 1))};
    tensor.storage[0].relative_path = kFirstFile, tensor.storage[1].relative_path = kSecondFile;
    EntryMetadata step{.name = "steps.1", .path = {"steps", 1}, .storage = {second.append(7)}};
    step.storage[0].relative_path = kSecondFile;
    first.commit(), second.commit();
    metadata.entries = {tensor, step};
    commit();
  }
  void commit() { write_bytes(dir / ".metadata", io::serialize_dcp_metadata(metadata)); }
  TensorStorageMetadata& tensor() { return *metadata.entries[0].tensor; }
  std::string error() {
    commit();
    return error_text([&] { return load(dir.path()); });
  }
};

TEST(DistributedCheckpoint, LoadsNestedStateWithWholeTensors) {
  const DcpFolder f;
  for (const std::string& path : {f.dir.path(), f.dir / ".metadata"}) {
    const Value state = load(path);
    EXPECT_TRUE(equal(Value(state["model"]["w"]).as_tensor(), f.w));
    EXPECT_EQ(Value(state["steps"]), Value::list({Value(), 7}));
  }
  const Value read = load(f.dir.path(), {.mmap = false, .verify = true});
  EXPECT_TRUE(equal(Value(read["model"]["w"]).as_tensor(), f.w));
  const CheckpointFiles files = resolve_checkpoint(f.dir.path());
  EXPECT_EQ(files.kind, FileKind::distributed);
  EXPECT_EQ(files.shards, (std::vector{f.dir / kFirstFile, f.dir / kSecondFile}));
}

TEST(DistributedCheckpoint, ReadsOnlyPiecesThatContainRequestedElements) {
  const DcpFolder f;
  std::filesystem::remove(f.dir / kSecondFile);
  const LoadOptions options;
  io::DcpReader reader(f.dir.path(), options);
  const EntryMetadata& w = *reader.find("model.w");
  EXPECT_TRUE(equal(reader.read_tensor(w, {1, 1}, {2, 1}), f.w.narrow(0, 1, 2).narrow(1, 1, 1)));
  EXPECT_EQ(reader.read_tensor(w, {4, 0}, {0, 2}).shape(), (Shape{0, 2}));
  EXPECT_TRUE(contains(error_text([&] {
                         return reader.read_tensor(w, {2, 0}, {2, 2});
                       }),
                       "__1_0.distcp: cannot open the file"));
}

TEST(DistributedCheckpoint, RejectsInconsistentChunks) {
  DcpFolder f;
  const TensorStorageMetadata valid = f.tensor();
  f.tensor().chunks[1].offsets = {2, 0};
  EXPECT_TRUE(contains(f.error(), "'model.w': chunks overlap"));
  f.tensor() = valid;
  f.tensor().size = {5, 2};
  EXPECT_TRUE(contains(f.error(), "the chunks have 8 of 10 elements"));
  f.tensor() = valid;
  f.tensor().chunks[1].sizes = {2, 2};
  EXPECT_TRUE(contains(f.error(), "the chunk of [2, 2] elements at [3, 0] exceeds the tensor"));
  f.tensor() = valid;
  f.tensor().size = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_TRUE(contains(f.error(), "are too large"));
  f.tensor().chunks[1].sizes = {std::int64_t{1} << 40, 2};
  f.tensor().size = {(std::int64_t{1} << 40) + 3, 2};
  EXPECT_TRUE(contains(f.error(), "does not fit into"));
}

TEST(DistributedCheckpoint, RejectsPiecesThatContradictTheMetadata) {
  DcpFolder f;
  std::vector<StorageInfo>& storage = f.metadata.entries[0].storage;
  const std::vector<StorageInfo> valid = storage;
  std::swap(storage[0], storage[1]);
  EXPECT_TRUE(contains(f.error(),
                       "the piece of 'model.w' at [0, 0] is float32 [1, 2], expected "
                       "float32 [3, 2]"));
  storage = valid;
  storage[1].offset = 1 << 20;
  EXPECT_TRUE(contains(f.error(), "bytes begins at 1048576"));
  storage = valid;
  storage[0].offset += 64, storage[0].length -= 64;
  EXPECT_TRUE(contains(f.error(), "__0_0.distcp: bytes 64 to"));
  storage = valid;
  storage[0].relative_path = kSecondFile;
  EXPECT_TRUE(contains(f.error(), "overlap in __1_0.distcp"));
  storage = valid;
  f.tensor().dtype = DType::i32;
  EXPECT_TRUE(contains(f.error(), "is float32 [3, 2], expected int32 [3, 2]"));
}

TEST(DistributedCheckpoint, RejectsFilesOutsideOfTheFolder) {
  DcpFolder f;
  f.metadata.entries[0].storage[0].relative_path = "../secret";
  EXPECT_TRUE(contains(f.error(), "file name '../secret' of 'model.w' must be a file name"));
  EXPECT_TRUE(contains(error_text([&] { return read_metadata(f.dir.path()); }), "../secret"));
}

TEST(DistributedCheckpoint, RejectsContradictoryPaths) {
  DcpFolder f;
  f.metadata.entries[1].path = {"model", "w", "x"};
  EXPECT_TRUE(contains(f.error(), "the path of 'steps.1' contradicts"));
  f.metadata.entries[1].path = {"steps", std::int64_t{1} << 40};
  EXPECT_TRUE(contains(f.error(), "the path of 'steps.1' contradicts"));
  f.metadata.entries[1].path = {"model", 0};
  EXPECT_TRUE(contains(f.error(), "the path of 'steps.1' contradicts"));
  f.metadata.entries[1].path = {3};
  EXPECT_TRUE(contains(f.error(), "entry 'steps.1' has an invalid path"));
}

TEST(DistributedCheckpoint, RejectsMaliciousMetadata) {
  const DcpFolder f;
  const std::string begin =
      "\x80\x02"
      "ctorch.distributed.checkpoint.metadata\nMetadata\n";
  const auto error_of = [&](const std::string& rest) {
    write_bytes(f.dir / ".metadata", begin + rest);
    return error_text([&] { return load(f.dir.path()); });
  };
  EXPECT_TRUE(contains(error_of("0cposix\nsystem\n."), "it may be malicious"));
  EXPECT_TRUE(contains(error_of("0cbuiltins\neval\n)R."), "the file calls builtins.eval"));
  EXPECT_TRUE(contains(error_of(")\x81."), "an object of Metadata has no attribute"));
  EXPECT_TRUE(contains(error_of(")"), "the pickle is truncated"));
  EXPECT_TRUE(contains(error_of("."), "expected an object of Metadata"));
}

TEST(DistributedCheckpoint, ReportsDamageAsIoError) {
  const DcpFolder f;
  for (const char* name : {".metadata", kFirstFile}) {
    const std::string bytes = read_bytes(f.dir / name);
    Sample sample(5);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!sample.next()) continue;
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
      write_bytes(f.dir / name, i % 2 ? damaged : bytes.substr(0, i));
      try {
        static_cast<void>(load(f.dir.path()));
      } catch (const IoError&) {}
    }
    write_bytes(f.dir / name, bytes);
  }
}

TEST(DistributedCheckpoint, RequiresPath) {
  const DcpFolder f;
  const std::string bytes = read_bytes(f.dir / ".metadata");
  EXPECT_TRUE(contains(error_text([&] { return load(std::as_bytes(std::span(bytes))); }),
                       "expected a path"));
}

TEST(DistributedCheckpoint, IsSelectedBeforeOtherFilesOfTheFolder) {
  const DcpFolder f;
  write_bytes(f.dir / "meta.pt", "not a checkpoint");  // as written by Lightning
  EXPECT_TRUE(load(f.dir.path()).contains("model"));
}

}  // namespace
}  // namespace taper::distributed::checkpoint
