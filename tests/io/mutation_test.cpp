// Small files truncated or changed at every byte: each is read or rejected without an access
// outside its bytes.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "assemble.h"
#include "support/contains.h"
#include "support/file_bytes.h"
#include "support/sampling.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;

/// Reads every element, so that sanitizers detect a tensor that reaches outside of its storage.
void walk(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::tensor:
      if (v.as_tensor().numel() < 1'000'000) (void)v.as_tensor().detach().contiguous().str();
      break;
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set:
      for (const Value& x : v.as_sequence()) walk(x);
      break;
    case Value::Kind::dict:
      for (const auto& [key, x] : v.as_dict()) walk(key), walk(x);
      break;
    case Value::Kind::opaque: walk(v.as_opaque().arguments), walk(v.as_opaque().state); break;
    default: (void)v.str();
  }
}

struct Small {
  const char* name;
  std::string bytes;
};

std::string sample_zip() {
  const TempDir folder;
  const Tensor w = arange(6.0).view({2, 3});
  Value model = Value::ordered_dict();
  model.as_dict().set("w", w);
  model.as_dict().set("t", w.t());
  model.as_dict().set("p", Value::parameter(ones({3}, {.requires_grad = true})));
  model.as_dict().set_attribute("_metadata", Value::dict({{"", Value::dict({{"version", 1}})}}));
  save(Value::dict({{"epoch", 3}, {"model", model}, {"x", Value::list({1.5, true, "é"})}}),
       folder / "x.pt");
  return read_bytes(folder / "x.pt");
}

std::vector<Small> files() {
  const std::string tensor = TensorPart{}.str();
  const std::string object =
      pickle("\x95" + le(27 + tensor.size(), 8) + "](" + text("ab") + "K\x05\x8c\x02xyG" +
                 std::string(8, '\1') + "\x8f(K\x01\x90" + tensor + "e",
             4);
  return {
      {"saved", sample_zip()},
      {"assembled", checkpoint(object)},
      {"legacy",
       legacy(pickle(dict({{"w", TensorPart{.storage = StoragePart{.view = kNone}.str()}.str()}})),
              pickle("](" + text("0") + "e"), le(12, 8) + std::string(48, '\1'))},
      {"safetensors",
       safetensors(
           R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
           R"("b":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}})",
           std::string(16, '\1'))}};
}

class Mutation : public testing::TestWithParam<Small> {
 protected:
  /// Returns true if `load` returns a value, and false if it throws an IoError, which must contain
  /// `name`.
  template <class Load> bool reads(const std::string& name, const Load& load) {
    try {
      walk(load());
      return true;
    } catch (const IoError& e) {
      EXPECT_TRUE(contains(e.what(), name));
      return false;
    }
  }
  /// Returns true if the bytes can be loaded. Loads from a buffer of exactly this size, so that
  /// sanitizers detect accesses beyond it, and not from a file, which would be slow.
  bool reads(const std::string& bytes) {
    const std::vector<char> exact(bytes.begin(), bytes.end());
    return reads("<bytes>", [&] { return load(std::as_bytes(std::span(exact))); });
  }
  bool reads_file(const std::string& bytes) {
    write_bytes(path_, bytes);
    return reads(path_, [&] { return load(path_); });
  }
  TempDir folder_;
  std::string path_ = folder_ / "x";
};

TEST_P(Mutation, UnchangedFileIsReadable) {
  EXPECT_TRUE(reads(GetParam().bytes));
  EXPECT_TRUE(reads_file(GetParam().bytes));
}

TEST_P(Mutation, RejectsTruncatedFile) {
  const std::string& good = GetParam().bytes;
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_FALSE(reads(good.substr(0, n))) << "cut to " << n << " of " << good.size();
  constexpr std::size_t kStep = 61;  // files are slow, so only some lengths are tested
  for (std::size_t n = 0; n < good.size(); n += kStep)
    EXPECT_FALSE(reads_file(good.substr(0, n))) << "cut to " << n << " of " << good.size();
}

TEST_P(Mutation, ReadsOrRejectsChangedByte) {
  const std::string& good = GetParam().bytes;
  int rejected = 0;
  Sample sample(5);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned change : {0xffu, 0x01u, 0x80u, 0x20u}) {
      if (!sample.next()) continue;
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ change);
      rejected += !reads(bad);
    }
  }
  EXPECT_GT(rejected, 0);
}

TEST_P(Mutation, ReadsOrRejectsMissingOrRepeatedByte) {
  const std::string& good = GetParam().bytes;
  int rejected = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad.erase(i, 1);
    rejected += !reads(bad);
    bad = good;
    bad.insert(i, 1, good[i]);
    rejected += !reads(bad);
    bad = good;
    for (std::size_t k = i; k < std::min(i + 8, bad.size()); ++k) bad[k] = '\xff';
    rejected += !reads(bad);
  }
  EXPECT_GT(rejected, 0);
}

INSTANTIATE_TEST_SUITE_P(Files, Mutation, testing::ValuesIn(files()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace taper
