// Detection of file kinds, and errors for unsupported ones.
#include <gtest/gtest.h>

#include "assemble.h"
#include "assemble_zip.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/file_kind.h"
#include "taper/io/load.h"
#include "taper/io/load_error.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

struct Kind {
  FileKind kind;
  std::string bytes;
  const char* said;  ///< part of the error message; null if the file is readable
};

std::vector<Kind> kinds() {
  const std::string tensor = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  std::string tar = "tensors" + std::string(505, '\0');
  tar.replace(257, 5, "ustar");
  const std::string arrays = "\x93NUMPY\x01" + std::string(1, '\0') + le(60, 2) +
                             "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }   " + "\7";
  return {
      {FileKind::torch_zip, checkpoint(pickle("}")), nullptr},
      {FileKind::torch_legacy, legacy(pickle("}"), pickle("]"), ""), nullptr},
      {FileKind::safetensors, safetensors(tensor, "\7"), nullptr},
      {FileKind::npy, arrays, nullptr},
      {FileKind::npz, zip_of({{"a.npy", arrays}}), nullptr},
      {FileKind::torchscript,
       zip_of({{"m/data.pkl", ""}, {"m/code/x.py", ""}, {"m/constants.pkl", ""}}),
       "torch.jit.load(file).state_dict()"},
      {FileKind::torch_tar, tar, "tar file of PyTorch 0.1. In Python, load it and save it again"},
      {FileKind::onnx,
       "\x08\x07\x12\x07pytorch\x1a\x03"
       "2.1:\x05",
       "an ONNX model"},
      {FileKind::gguf, "GGUF" + le(3, 4) + le(0, 16), "a GGUF file"},
      {FileKind::hdf5, "\x89HDF\r\n\x1a\n" + std::string(40, '\0'),
       "the format of Keras .h5 files"},
      {FileKind::keras,
       zip_of({{"metadata.json", "{}"}, {"config.json", "{}"}, {"model.weights.h5", ""}}),
       "a Keras archive"},
      {FileKind::pickle, pickle(text("an object")), "not written by torch.save"},
      {FileKind::zip, zip_of({{"word/document.xml", "<x/>"}}),
       "a zip archive without a checkpoint"},
      {FileKind::gzip, "\x1f\x8b\x08" + std::string(20, '\0'), "Decompress it first"},
      {FileKind::git_lfs, "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n",
       "Run git lfs pull"},
      {FileKind::html, "\n  <!doctype HTML>\n<html><body>Sign in</body></html>",
       "The download failed or requires a login"},
      {FileKind::empty, "", "the file is empty"},
      {FileKind::other, "weights: 1.0 2.0 3.0",
       "expected a file written by torch.save, safetensors or NumPy"},
  };
}

class FileKinds : public testing::TestWithParam<Kind> {};

// R11.1-01, R11.1-02, R11.1-03
TEST_P(FileKinds, AreDetectedFromContents) {
  const TempDir folder;
  const std::string path = folder / "model.whatever";
  write_bytes(path, GetParam().bytes);
  EXPECT_EQ(file_kind(path), GetParam().kind) << name_of(file_kind(path));
  EXPECT_EQ(is_readable(GetParam().kind), GetParam().said == nullptr);
  const std::string text = error_text<IoError>([&] { (void)load(path); });
  if (GetParam().said) {
    EXPECT_TRUE(contains(text, GetParam().said));
    EXPECT_EQ(text.find("load: " + path + ": "), 0u) << text;
  } else {
    EXPECT_EQ(text, "");
  }
}
INSTANTIATE_TEST_SUITE_P(All, FileKinds, testing::ValuesIn(kinds()),
                         [](const auto& info) { return "n" + std::to_string(info.index); });

TEST(FileKinds, FolderWithIndexLoadsIndex) {
  const TempDir folder;
  const auto path = [&](const char* name) { return folder / name; };
  save(Value::dict({{"a", ones({2})}}), path("pytorch_model-1.bin"));
  save(Value::dict({{"b", zeros({3})}}), path("pytorch_model-2.bin"),
       {.format = FileFormat::legacy});
  const std::string here = path(".");
  EXPECT_THROW(load(here), IoError);
  write_bytes(path("pytorch_model.bin.index.json"),
              R"({"weight_map": {"a": "pytorch_model-1.bin", "b": "pytorch_model-2.bin"}})");
  const Value v = load(here);
  EXPECT_EQ(v["a"].as_tensor().numel(), 2);
  EXPECT_EQ(v["b"].as_tensor().numel(), 3);
  write_bytes(path("second.index.json"), "{}");
  EXPECT_EQ(error_text<LoadError>([&] { (void)load(here); }),
            "load: " + here +
                ": ambiguous checkpoint: the directory contains 2 checkpoints "
                "(pytorch_model.bin.index.json, "
                "second.index.json). Pass the path of one");
}

TEST(FileKinds, FolderWithSingleFileLoadsIt) {
  const TempDir folder;
  const std::string here = folder / ".";
  save(Value::dict({{"b", zeros({3})}}), folder / "pytorch_model.bin");
  write_bytes(folder / "config.json", "{}");
  EXPECT_EQ(load(here)["b"].as_tensor().numel(), 3);
  save(Value::dict({{"a", ones({2})}}), folder / "model.safetensors",
       {.format = FileFormat::safetensors});
  EXPECT_EQ(load(here)["a"].as_tensor().numel(), 2);
  save(Value::dict({{"a", ones({2})}}), folder / "other.safetensors",
       {.format = FileFormat::safetensors});
  EXPECT_THROW(load(here), IoError);
}

TEST(FileKinds, IndexRejectsNestedIndexAndNeedsItsFiles) {
  const TempDir folder;
  const std::string index = R"({"weight_map": {"a": "m.index.json"}})";
  write_bytes(folder / "m.index.json", index);
  EXPECT_EQ(file_kind(folder / "m.index.json"), FileKind::safetensors_index);
  EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load(folder / "m.index.json"); }),
                       "a shard must not be another index"));
  EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load(std::as_bytes(std::span(index))); }),
                       "refers to files in its directory"));
}

}  // namespace
}  // namespace taper
