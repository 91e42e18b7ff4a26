// Contents of a pickle other than tensors: containers are restored, objects become opaque values.
#include <gtest/gtest.h>

#include "assemble.h"
#include "load_bytes.h"
#include "taper/core/error.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

std::string made(const std::string& cls, const std::string& state) {
  return cls + ")\x81" + state + "b";
}

TEST(Opaque, ModulePreservesClassAndState) {
  const std::string tensor = TensorPart{}.str();
  const std::string parameters =
      dict({{"weight", call("torch._utils", "_rebuild_parameter", {tensor, kTrue, kNoHooks})}});
  const Value v = load_pickle_file(
      pickle(made(name("my_project.nets", "Net"),
                  dict({{"training", kFalse},
                        {"_parameters", parameters},
                        {"_non_persistent_buffers_set",
                         call("__builtin__", "set", {"](" + text("scratch") + "e"})},
                        {"_forward_hooks", dict({{"0", name("my_project.nets", "print_hook")}})},
                        {"activation", name("torch.nn.functional", "relu")}}))));
  ASSERT_EQ(v.kind(), Value::Kind::opaque);
  const Opaque& o = v.as_opaque();
  EXPECT_EQ(o.callable.as_global(),
            std::pair(std::string_view("my_project.nets"), std::string_view("Net")));
  EXPECT_EQ(o.arguments.size(), 0u);
  EXPECT_FALSE(o.state["training"].as_bool());
  EXPECT_TRUE(o.state["_parameters"]["weight"].is_parameter());
  EXPECT_EQ(o.state["_non_persistent_buffers_set"], Value::set({"scratch"}));
  EXPECT_EQ(o.state["activation"].as_global().second, "relu");
}

TEST(Opaque, DataObjectsPreserveArguments) {
  const Value date = load_pickle_file(pickle(call("datetime", "date", {text("\x07\x01")})));
  EXPECT_EQ(date.as_opaque().callable.as_global().second, "date");
  EXPECT_EQ(date.as_opaque().arguments.size(), 1u);
  for (const char* module : {"numpy.core.multiarray", "numpy._core.multiarray"}) {
    const Value array = load_pickle_file(pickle(
        call(module, "_reconstruct", {name("numpy", "ndarray"), tuple({number(0)}), text("b")}) +
        tuple({number(1), tuple({number(2)})}) + "b"));
    EXPECT_EQ(array.as_opaque().state.size(), 2u);
  }
  const Value range =
      load_pickle_file(pickle(call("__builtin__", "xrange", {number(0), number(3), number(1)})));
  EXPECT_EQ(range.as_opaque().callable.as_global().second, "xrange");
  const Value bytes = load_pickle_file(pickle("\x96" + le(3, 8) + "abc", 5));
  EXPECT_EQ(bytes.as_opaque().callable.as_global().second, "bytearray");
  EXPECT_EQ(bytes.as_opaque().arguments[0].as_bytes(), "abc");
}

TEST(Opaque, ObjectOfOldProtocolHasItsClass) {
  const Value v = load_pickle_file(pickle(
      call("copy_reg", "_reconstructor", {name("a", "B"), name("__builtin__", "object"), kNone}) +
      dict({{"x", number(1)}}) + "b"));
  EXPECT_EQ(v.as_opaque().callable.as_global().second, "B");
  EXPECT_EQ(v.as_opaque().state["x"].as_int(), 1);
}

TEST(Opaque, TensorWithAttributesLoadsAsTensorUnlessSubclass) {
  const std::string arguments = tuple(
      {StoragePart{}.str(), number(0), tuple({number(2)}), tuple({number(1)}), kFalse, kNoHooks});
  const auto of_type = [&](const std::string& type) {
    return load_pickle_file(pickle(call("torch._tensor", "_rebuild_from_type_v2",
                                        {name("torch._utils", "_rebuild_tensor_v2"), type,
                                         arguments, dict({{"persistent", kTrue}})})));
  };
  EXPECT_EQ(of_type(name("torch", "Tensor")).as_tensor().shape(), Shape({2}));
  const Value other = of_type(name("my_project", "Boxes"));
  EXPECT_EQ(other.as_opaque().callable.as_global().second, "Boxes");
  EXPECT_EQ(other.as_opaque().arguments[0].as_tensor().numel(), 2);
}

TEST(Opaque, UnknownDtypeStaysOpaqueWithItsName) {
  const StoragePart bytes{.cls = name("torch.storage", "UntypedStorage"), .count = number(48)};
  const auto of_dtype = [&](const char* dtype) {
    return load_pickle_file(
        pickle(call("torch._utils", "_rebuild_tensor_v3",
                    {bytes.str(), number(2), tuple({number(3)}), tuple({number(1)}), kFalse,
                     kNoHooks, name("torch", dtype)})));
  };
  EXPECT_EQ(of_dtype("float8_e5m2").as_opaque().arguments[6].as_global().second, "float8_e5m2");
  const Tensor words = of_dtype("uint16").as_tensor();
  EXPECT_EQ(words.dtype(), uint16);
  EXPECT_EQ(words.storage_offset(), 2);
  EXPECT_EQ(words.shape(), Shape({3}));
  const Tensor known = of_dtype("float64").as_tensor();
  EXPECT_EQ(known.dtype(), float64);
  EXPECT_EQ(known.storage_offset(), 2);
}

TEST(Opaque, RestoresContainersAndNumbers) {
  EXPECT_EQ(
      load_pickle_file(pickle(call("collections", "Counter", {dict({{"a", number(3)}})}))).str(),
      "Counter({'a': 3})");
  const Value with_default = load_pickle_file(pickle(
      call("collections", "defaultdict", {name("__builtin__", "list")}) + text("a") + "K\x01s"));
  EXPECT_EQ(with_default.as_dict().class_name(), "collections.defaultdict");
  EXPECT_EQ(with_default["a"].as_int(), 1);
  EXPECT_EQ(load_pickle_file(
                pickle(call("__builtin__", "complex", {"G" + std::string(8, '\0'), number(2)})))
                .as_complex(),
            (Complex{0, 2}));
  EXPECT_EQ(load_pickle_file(pickle(call("_codecs", "encode", {text("a\xc3\xbf"), text("latin1")})))
                .as_bytes(),
            "a\xff");
  EXPECT_EQ(load_pickle_file(pickle(call("__builtin__", "bytes", {}))).as_bytes(), "");
  EXPECT_EQ(load_pickle_file(pickle(call("torch", "device", {text("cuda"), number(1)})))
                .as_device()
                .str(),
            "cuda:1");
  EXPECT_EQ(load_pickle_file(pickle("\x8a\x09" + le(1, 8) + "\x01")).as_string(),
            "18446744073709551617");
  // Python permits lone surrogates in strings. The value stores their encoding unchanged.
  EXPECT_EQ(load_pickle_file(pickle(text("\xed\xa0\x80"))).as_string(), "\xed\xa0\x80");
}

TEST(Opaque, SetsOfProtocol4StayShared) {
  // The pickle of [s, s, set()] with s = {1, 2}.
  const Value v = load_pickle_file(pickle("](\x8f\x94(K\x01K\x02\x90h" + le(0, 1) +
                                              "\x8f"
                                              "e",
                                          4));
  ASSERT_EQ(v.size(), 3u);
  EXPECT_EQ(v[0], Value::set({1, 2}));
  EXPECT_EQ(v[1], Value::set({1, 2}));
  EXPECT_EQ(v[2], Value::set());
}

TEST(Opaque, StoragesLoadAsFlatTensors) {
  const Tensor flat = load_pickle_file(pickle(StoragePart{}.str())).as_tensor();
  EXPECT_EQ(flat.shape(), Shape({12}));
}

}  // namespace
}  // namespace taper
