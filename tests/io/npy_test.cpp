// NumPy array files, alone and in archives.
#include <gtest/gtest.h>

#include "assemble.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
         le(header.size(), version == 1 ? 2 : 4) + header + data;
}
std::string said(const std::string& descr, const std::string& shape,
                 const char* fortran = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}
const std::string kFloats = le(0x3f800000, 4) + le(0x40000000, 4) + le(0x40400000, 4) +
                            le(0x40800000, 4) + le(0x40a00000, 4) +
                            le(0x40c00000, 4);  // the floats 1 to 6

TEST(Npy, LoadsAsTensor) {
  const Tensor t = load_bytes(npy(said("'<f4'", "(2, 3)"), kFloats)).as_tensor();
  EXPECT_EQ(t.str(), "tensor([[1., 2., 3.],\n        [4., 5., 6.]])");
  EXPECT_EQ(load_bytes(npy(said("'<f4'", "(2, 3)"), kFloats, 2)).as_tensor().str(), t.str());
  EXPECT_EQ(load_bytes(npy(said("'<f4'", "()"), le(0x40000000, 4))).as_tensor().item<float>(), 2);
  EXPECT_EQ(load_bytes(npy(said("'|b1'", "(2,)"), std::string("\1\0", 2))).as_tensor().dtype(),
            DType::bool_);
  EXPECT_EQ(load_bytes(npy(said("'<i8'", "(0, 3)"), "")).as_tensor().shape(), Shape({0, 3}));
  EXPECT_EQ(load_bytes(npy(said("'<i2'", "(3L,)"), le(1, 2) + le(2, 2) + le(0xffff, 2)))
                .as_tensor()
                .str(),
            "tensor([ 1,  2, -1], dtype=torch.int16)");
}

TEST(Npy, SupportsFortranOrderAndBigEndian) {
  const Tensor fortran = load_bytes(npy(said("'<f4'", "(2, 3)", "True"), kFloats)).as_tensor();
  EXPECT_EQ(fortran.str(), "tensor([[1., 3., 5.],\n        [2., 4., 6.]])");
  EXPECT_EQ(fortran.strides(), Shape({1, 2}));
  std::string turned;
  for (std::size_t i = 0; i < kFloats.size(); ++i) turned += kFloats[i / 4 * 4 + 3 - i % 4];
  EXPECT_EQ(load_bytes(npy(said("'>f4'", "(6,)"), turned)).as_tensor().str(),
            "tensor([1., 2., 3., 4., 5., 6.])");
}

TEST(Npy, ReadsUnsignedIntegersOfEachSize) {
  EXPECT_EQ(load_bytes(npy(said("'<u2'", "(2,)"), le(1, 2) + le(65535, 2))).as_tensor().str(),
            "tensor([    1, 65535], dtype=torch.uint16)");
  EXPECT_EQ(load_bytes(npy(said("'<u4'", "(1,)"), le(4294967295, 4))).as_tensor().str(),
            "tensor([4294967295], dtype=torch.uint32)");
  EXPECT_EQ(load_bytes(npy(said("'>u8'", "(1,)"), "\x80" + std::string(7, '\0'))).as_tensor().str(),
            "tensor([9223372036854775808], dtype=torch.uint64)");
}

TEST(Npy, UnsupportedDtypesBecomeOpaque) {
  const Value complex = load_bytes(npy(said("'<c8'", "(2,)"), std::string(16, 'x')));
  const auto foreign = foreign_tensor(complex);
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->dtype, "complex64");
  EXPECT_EQ(foreign->shape, Shape({2}));
  EXPECT_EQ(foreign->bytes.numel(), 16);
  const Value texts = load_bytes(npy(said("'<U2'", "(1,)"), std::string(8, 'x')));
  EXPECT_EQ(texts.as_opaque().arguments[1].as_string(), "<U2");
  EXPECT_EQ(texts.as_opaque().arguments[2].as_tensor().numel(), 8);
}

TEST(Npy, RejectsInconsistentFiles) {
  const auto says = [](const std::string& bytes, const char* words) {
    EXPECT_TRUE(contains(error_text<IoError>([&] { (void)load_bytes(bytes); }), words));
  };
  says(npy(said("'<f4'", "(2, 3)"), kFloats + "x"), "does not match the 25 bytes");
  says(npy(said("'<f4'", "(4611686018427387904, 4)"), kFloats), "does not match the 24 bytes");
  // The array is empty, but its strides overflow.
  says(npy(said("'<f4'", "(0, 4611686018427387904, 4)"), ""), "does not match the 0 bytes");
  says(npy(said("'<f4'", "(-2, 3)"), kFloats), "expected a non-negative integer");
  says(npy(said("'|O'", "(1,)"), pickle("N")), "arrays of Python objects");
  says(npy(said("[('a', '<f4')]", "(6,)"), kFloats), "not supported");
  says(npy("{'descr': '<f4'}", kFloats), "missing");
  says(npy("__import__('os').system('x')", kFloats), "invalid NumPy array header");
  says(npy(said("'<f4'", "(6,)"), kFloats, 9),
       "unsupported version of the NumPy array format: got 9");
  says("\x93NUMPY", "the header of the NumPy array is truncated");
  says(npy(said("'<f4'", "(6,)"), kFloats).substr(0, 30), "header is truncated");
}

TEST(Npz, LoadsAsDictOfTensors) {
  const TempDir folder;
  const std::string path = folder / "x.npz";
  write_bytes(path, zip({{"a.npy", npy(said("'<f4'", "(6,)"), kFloats)},
                         {"b/c.npy", npy(said("'<f4'", "(2, 3)"), kFloats)}},
                        ""));
  const Value v = load(path);
  EXPECT_EQ(v["a"].as_tensor()[5].item<float>(), 6);
  EXPECT_EQ(v["b/c"].as_tensor().shape(), Shape({2, 3}));
  write_bytes(path, zip({{"a.npy", npy(said("'<f4'", "(7,)"), kFloats)}}, ""));
  EXPECT_THROW(load(path), IoError);
}

}  // namespace
}  // namespace taper
