// Selection of the checkpoint in a directory, and the path and reason of LoadError.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "taper/io/checkpoint_files.h"
#include "taper/io/load.h"
#include "taper/io/load_error.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using test::contains, test::error_text, test::TempDir, test::write_bytes;

/// Temporary directory of checkpoints with one tensor each, named after the file.
struct Folder {
  TempDir dir;
  void add(const std::string& name) {
    const bool safetensors = name.ends_with(".safetensors");
    save(Value::dict({{name, ones({1})}}), dir / name,
         {.format = safetensors ? FileFormat::safetensors : FileFormat::zip});
  }
  void add_index(const std::string& name, const std::string& shard) {
    write_bytes(dir / name, "{\"weight_map\": {\"" + shard + "\": \"" + shard + "\"}}");
  }
  /// Returns the name of the tensor that `load` returns for the directory. Expects that
  /// resolve_checkpoint selects the same file.
  std::string loaded() const {
    const auto name_in = [](const std::string& path) {
      const Value value = load(path);
      return value.as_dict().entries()[0].first.as_string();
    };
    const std::string name = name_in(dir.path());
    EXPECT_EQ(name_in(resolve_checkpoint(dir.path()).file), name);
    return name;
  }
  std::string reason() const {
    std::string of_load, of_resolve;
    try {
      (void)load(dir.path());
    } catch (const LoadError& e) {
      EXPECT_EQ(e.path(), dir.path());
      of_load = e.reason();
    }
    try {
      (void)resolve_checkpoint(dir.path());
    } catch (const LoadError& e) { of_resolve = e.reason(); }
    EXPECT_EQ(of_load, of_resolve);
    return of_load;
  }
};

TEST(CheckpointFiles, SelectsOnlyFileWithKnownSuffix) {
  for (const char* name :
       {"a.safetensors", "a.pt", "a.pth", "a.bin", "a.ckpt", "a.npz", "pytorch_model.bin"}) {
    Folder f;
    f.add(name);
    write_bytes(f.dir / "config.json", "{}");
    write_bytes(f.dir / "tf_model.h5.index.json", "{}");
    std::filesystem::create_directory(f.dir / "b.pt");
    EXPECT_EQ(f.loaded(), name);
  }
}

TEST(CheckpointFiles, PrefersSafetensors) {
  Folder f;
  f.add("pytorch_model.bin");
  f.add("optimizer.pt");
  f.add("training_args.bin");
  EXPECT_EQ(f.loaded(), "pytorch_model.bin");
  f.add("shard-1.bin");
  f.add_index("pytorch_model.bin.index.json", "shard-1.bin");
  EXPECT_EQ(f.loaded(), "shard-1.bin");
  f.add("model.safetensors");
  EXPECT_EQ(f.loaded(), "model.safetensors");
  f.add("model-1.safetensors");
  f.add_index("model.safetensors.index.json", "model-1.safetensors");
  EXPECT_EQ(f.loaded(), "model-1.safetensors");
  const CheckpointFiles files = resolve_checkpoint(f.dir.path());
  EXPECT_EQ(files.kind, FileKind::safetensors_index);
  EXPECT_EQ(files.shards, std::vector{f.dir / "model-1.safetensors"});
}

TEST(CheckpointFiles, ReportsCandidatesOfAmbiguousDirectory) {
  Folder f;
  EXPECT_TRUE(contains(f.reason(), "no checkpoint in the directory: expected a file "));
  f.add("b.pt");
  f.add("a.npz");
  EXPECT_EQ(f.reason(),
            "ambiguous checkpoint: the directory contains 2 checkpoints (a.npz, b.pt). "
            "Pass the path of one");
  f.add_index("x.index.json", "b.pt");
  EXPECT_EQ(f.loaded(), "b.pt");
  f.add_index("y.index.json", "b.pt");
  EXPECT_TRUE(contains(f.reason(), "(x.index.json, y.index.json)"));
  Folder many;
  for (int i = 1; i < 10; ++i) many.add("model-" + std::to_string(i) + ".safetensors");
  EXPECT_TRUE(contains(many.reason(), "9 checkpoints (model-1.safetensors, "));
  EXPECT_TRUE(contains(many.reason(), "model-8.safetensors, ...)"));
}

TEST(CheckpointFiles, OmitsShardsOutsideDirectory) {
  const TempDir dir;
  const std::string index = dir / "m.index.json";
  write_bytes(index,
              R"({"weight_map": {"a": "2.bin", "b": "../x.bin", "c": "1.bin", "d": "1.bin"}})");
  const CheckpointFiles files = resolve_checkpoint(index);
  EXPECT_EQ(files.file, index);
  EXPECT_EQ(files.shards, (std::vector{dir / "1.bin", dir / "2.bin"}));
  write_bytes(index, "{]");
  EXPECT_TRUE(resolve_checkpoint(index).shards.empty());
}

TEST(LoadError, ProvidesPathAndReason) {
  const TempDir dir;
  const std::string path = dir / "x: y.pt";
  for (const char* bytes : {"", "weights"}) {
    write_bytes(path, bytes);
    try {
      (void)load(path);
      ADD_FAILURE();
    } catch (const LoadError& e) {
      EXPECT_EQ(e.path(), path);
      EXPECT_EQ(e.message(), "load: " + path + ": " + e.reason());
    }
  }
  try {
    (void)load(dir / "none.pt");
    ADD_FAILURE();
  } catch (const LoadError& e) {
    EXPECT_STREQ(e.reason(), "cannot open the file: No such file or directory");
  }
  EXPECT_EQ(error_text<LoadError>([] { (void)load(std::span<const std::byte>()); }),
            "load: <bytes>: the file is empty: nothing was written or the download failed");
}

}  // namespace
}  // namespace taper
