// Writing tensors in pickles, and the storages that they reference.
#include <gtest/gtest.h>

#include "assemble.h"
#include "io/pickle/writer.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/detail/uninitialized.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper {
namespace {

using namespace test;
using namespace std::string_literals;

struct Written {
  io::SavedStorages storages;
  std::string bytes;
  explicit Written(const Value& v) {
    bytes = io::PickleWriter(storages, io::StorageIds::zip).write(v);
  }
};

/// Returns the pickled persistent id of a storage on the CPU.
std::string id(const std::string& cls, const char* key, const std::string& count) {
  return "(" + text("storage") + cls + text(key) + text("cpu") + count + "tQ";
}
std::string floats(const std::string& count) {
  return id(name("torch", "FloatStorage"), "0", count);
}
const std::string kRebuild = name("torch._utils", "_rebuild_tensor_v2");

// R11.3-19, R11.3-29, R11.3-30, R11.3-31, R11.3-32, R11.3-33, R11.3-34, R11.3-35, R11.3-36,
// R11.3-46
TEST(WrittenTensor, IsCallWithStorageAndView) {
  const Tensor t = zeros({2, 3});
  EXPECT_EQ(Written(t).bytes, pickle(kRebuild + "(" + floats("K\6") +
                                     "K\0K\2K\3\x86K\3K\1\x86\x89"s + kNoHooks + "tR"));
  const Tensor column = t.t()[1];
  EXPECT_EQ(Written(column).bytes,
            pickle(kRebuild + "(" + floats("K\6") + "K\1K\2\x85K\3\x85\x89" + kNoHooks + "tR"));
  const Tensor scalar = tensor(1.5, {.requires_grad = true});
  EXPECT_EQ(Written(scalar).bytes,
            pickle(kRebuild + "(" + floats("K\1") + "K\0))\x88"s + kNoHooks + "tR"));
}

// R1.4-05, R11.3-48
TEST(WrittenTensor, ParameterStoresDataAndRequiresGrad) {
  const std::string hooks = "h\1)R"s;
  const auto parameter = [&](const char* learns) {
    return pickle(name("torch._utils", "_rebuild_parameter") + kRebuild + "(" + floats("K\1") +
                  "K\0K\1\x85K\1\x85\x89"s + name("collections", "OrderedDict") + "q\0)RtR"s +
                  learns + "h\0)R\x87R"s);
  };
  EXPECT_EQ(Written(Value::parameter(ones({1}, {.requires_grad = true}))).bytes, parameter("\x88"));
  EXPECT_EQ(Written(Value::parameter(ones({1}))).bytes, parameter("\x89"));
}

// R11.2-05, R11.3-37
TEST(WrittenTensor, StorageIsSavedOnceAndCompletely) {
  const Tensor t = arange(6.0), other = zeros({0});
  const Written w(Value::list({t[1], t.view({2, 3}), other, t}));
  ASSERT_EQ(w.storages.all().size(), 2u);
  EXPECT_EQ(w.storages.all()[0].key(), "0");
  EXPECT_EQ(w.storages.all()[0].bytes().size(), 24u);
  EXPECT_EQ(w.storages.all()[1].key(), "1");
  EXPECT_EQ(w.storages.all()[1].bytes().size(), 0u);
}

// R11.3-23
TEST(WrittenTensor, RepeatedTensorIsMemoized) {
  const Tensor t = zeros({1});
  const std::string once = Written(Value::list({t})).bytes,
                    twice = Written(Value::list({t, t})).bytes;
  EXPECT_EQ(twice.size(), once.size() + 1 + 2 + 2);  // adds a mark, a memo entry and a reference
}

// R11.3-38
TEST(WrittenTensor, RejectsMemoryWithTwoDtypes) {
  const Tensor t = zeros({4});
  const Tensor as_int32(
      Ref<TensorImpl>::adopt(new TensorImpl(impl(t).storage, {4}, {1}, 0, int32)));
  EXPECT_EQ(error_text<RuntimeError>([&] {
              Written(Value::dict({{"a", t}, {"b", as_int32}}));
            }),
            "save: [\"b\"]: Cannot save multiple tensors or storages that view the same data "
            "as different types: float32 and int32");
  // The same memory in two storages is rejected as well.
  float memory[4] = {};
  const Tensor first = from_blob(memory, {4}), second = from_blob(memory, {4}, {.dtype = int32});
  EXPECT_THROW(Written(Value::list({first, second})), RuntimeError);
}

// R11.3-39, R11.3-40
TEST(WrittenTensor, EachDtypeHasItsStorageClass) {
  const std::pair<DType, const char*> classes[] = {
      {float64, "DoubleStorage"},    {float32, "FloatStorage"}, {float16, "HalfStorage"},
      {bfloat16, "BFloat16Storage"}, {int64, "LongStorage"},    {int32, "IntStorage"},
      {int16, "ShortStorage"},       {int8, "CharStorage"},     {uint8, "ByteStorage"},
      {DType::bool_, "BoolStorage"}};
  for (const auto& [dtype, cls] : classes) {
    const Written w(zeros({3}, {.dtype = dtype}));
    EXPECT_TRUE(contains(w.bytes, id(name("torch", cls), "0", "K\3"))) << cls;
    EXPECT_EQ(w.storages.all()[0].bytes().size(), 3 * size_of(dtype)) << cls;
  }
}

/// Returns a call of a function of torch._utils with a storage and `rest`, as an opaque value.
Value call_of(const char* function, const Tensor& storage, Values rest) {
  Opaque o;
  o.callable = Value::global("torch._utils", function);
  rest.insert(rest.begin(), storage);
  o.arguments = Value::tuple(std::move(rest));
  return Value::opaque(std::move(o));
}

// R11.3-43, R11.3-44, R11.3-47
TEST(WrittenTensor, ForeignDtypeUsesUntypedStorage) {
  const Value v = call_of("_rebuild_tensor_v3", zeros({6}, {.dtype = uint8}),
                          {0, Value::tuple({3}), Value::tuple({1}), false, Value::ordered_dict(),
                           Value::global("torch", "uint16")});
  EXPECT_EQ(Written(v).bytes,
            pickle(name("torch._utils", "_rebuild_tensor_v3") + "(" +
                   id(name("torch.storage", "UntypedStorage"), "0", "K\6") +
                   "K\0K\3\x85K\1\x85\x89"s + kNoHooks + name("torch", "uint16") + "tR"));
}

// R11.3-43, R11.3-44: the bytes equal those of torch.save for the same tensors.
TEST(WrittenTensor, StoresUnsignedIntegersAsRawBytes) {
  for (const auto& [dtype, dtype_name, size] :
       {std::tuple(uint16, "uint16", 6), std::tuple(uint32, "uint32", 12),
        std::tuple(uint64, "uint64", 24)})
    EXPECT_EQ(Written(tensor({1, 5, 3}, {.dtype = dtype})).bytes,
              pickle(name("torch._utils", "_rebuild_tensor_v3") + "(" +
                     id(name("torch.storage", "UntypedStorage"), "0", number(size)) +
                     "K\0K\3\x85K\1\x85\x89"s + kNoHooks + name("torch", dtype_name) + "tR"));
}

TEST(WrittenTensor, RestoresUnsignedIntegersFromEveryFormat) {
  const TempDir folder;
  const std::uint64_t large[] = {1ull << 63, 3};
  const Value v = Value::dict({{"a", tensor({1, 65535}, {.dtype = uint16})},
                               {"b", tensor({{4294967295}}, {.dtype = uint32})},
                               {"c", tensor(std::span<const std::uint64_t>(large), {2})}});
  const auto check = [&](const std::string& path) {
    const Value read = load(path, {.strict = true});
    for (const char* key : {"a", "b", "c"}) {
      EXPECT_EQ(read[key].as_tensor().dtype(), v[key].as_tensor().dtype()) << path;
      EXPECT_TRUE(equal(read[key].as_tensor(), v[key].as_tensor())) << path << " " << key;
    }
  };
  save(v, folder / "zip.pt");
  save(v, folder / "legacy.pt", {.format = FileFormat::legacy});
  save(v, folder / "x.safetensors", {.format = FileFormat::safetensors});
  for (const char* name : {"zip.pt", "legacy.pt", "x.safetensors"}) check(folder / name);
}

// R11.5-04: torch.load supports untyped storages in zip files only.
TEST(WrittenTensor, LegacyFormatUsesByteStorage) {
  const Value v = call_of("_rebuild_tensor_v3", zeros({6}, {.dtype = uint8}),
                          {0, Value::tuple({3}), Value::tuple({1}), false, Value::ordered_dict(),
                           Value::global("torch", "uint16")});
  io::SavedStorages storages;
  const std::string bytes = io::PickleWriter(storages, io::StorageIds::legacy).write(v);
  EXPECT_TRUE(contains(bytes, name("torch", "ByteStorage") + text("0") + text("cpu") + "K\6NtQ"));
}

// R11.3-42, R11.3-50
TEST(WrittenTensor, QuantizedElementsUseQuantizedStorages) {
  const auto quantized = [](const char* cls, std::int64_t bytes) {
    const StoragePart storage{.cls = name("torch", cls), .count = number(bytes / 4)};
    return call("torch._utils", "_rebuild_qtensor",
                {storage.str(), number(0), tuple({number(3)}), tuple({number(1)}),
                 tuple({name("torch", "per_tensor_affine"), "G\x3f\xe0\0\0\0\0\0\0"s, number(2)}),
                 kFalse, kNoHooks});
  };
  // A value that was read is written unchanged.
  const TempDir folder;
  write_bytes(folder / "x.pt", checkpoint(pickle(quantized("QInt32Storage", 48))));
  const Value v = load(folder / "x.pt");
  EXPECT_EQ(v.as_opaque().callable.as_global().second, "_rebuild_qtensor");
  const Written w(v);
  EXPECT_TRUE(contains(w.bytes, id(name("torch", "QInt32Storage"), "0", "K\x0c")));
  EXPECT_EQ(w.storages.all()[0].bytes().size(), 48u);
}

// R11.3-41
TEST(WrittenTensor, ComplexElementsUseComplexStorages) {
  const Value v = to_value({.dtype = "complex64",
                            .shape = {2},
                            .strides = {1},
                            .offset = 1,
                            .bytes = zeros({80}, {.dtype = uint8})});
  EXPECT_EQ(Written(v).bytes,
            pickle(kRebuild + "(" + id(name("torch", "ComplexFloatStorage"), "0", "K\x0a") +
                   "K\1K\2\x85K\1\x85\x89" + kNoHooks + "tR"));
  // This dtype exists in safetensors only.
  EXPECT_THROW(Written(to_value({.dtype = "float4_e2m1fn",
                                 .shape = {2},
                                 .strides = {1},
                                 .bytes = zeros({1}, {.dtype = uint8})})),
               TypeError);
}

// R11.3-52
TEST(WrittenTensor, MetaTensorHasNoStorage) {
  const Written w(zeros({2, 3}, {.device = Device::meta()}));
  EXPECT_EQ(w.bytes, pickle(name("torch._utils", "_rebuild_meta_tensor_no_storage") + "(" +
                            name("torch", "float32") + "K\2K\3\x86K\3K\1\x86\x89tR"));
  EXPECT_TRUE(w.storages.all().empty());
}

// R11.3-56
TEST(WrittenTensor, SubclassIsRebuiltFromItsType) {
  Opaque o;
  o.callable = Value::global("boxes", "Boxes");
  o.arguments = Value::tuple({zeros({1})});
  o.state = Value::dict({{"x", 1}});
  EXPECT_EQ(Written(Value::opaque(o)).bytes,
            pickle(name("torch._tensor", "_rebuild_from_type_v2") + "(" + kRebuild +
                   name("boxes", "Boxes") + "(" + floats("K\1") + "K\0K\1\x85K\1\x85\x89"s +
                   kNoHooks + "t}" + text("x") + "K\1stR"));
}

TEST(WrittenTensor, UninitializedTensorIsItsClass) {
  const Tensor t = new_uninitialized(LazyKind::parameter, float32, Device::cpu());
  t.set_requires_grad();
  EXPECT_EQ(Written(Value::parameter(t)).bytes,
            pickle(name("torch.nn.parameter", "UninitializedParameter") + "\x88\x85R"));
}

}  // namespace
}  // namespace taper
