// The functions that rebuild tensors, each tested separately.
#include <gtest/gtest.h>

#include "assemble.h"
#include "load_bytes.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/load.h"

namespace taper {
namespace {

using namespace test;

Value load_entry(const std::string& value, const LoadOptions& options = {}) {
  return load_pickle(pickle(dict({{"x", value}})), options)["x"];
}
std::string entry_error(const std::string& value, const LoadOptions& options = {}) {
  return error_text<IoError>([&] { (void)load_entry(value, options); });
}
std::string storage(const char* cls, std::int64_t count) {
  return StoragePart{.cls = name("torch", cls), .count = number(count)}.str();
}
const std::string kTwo = tuple({number(2)}), kOne = tuple({number(1)});

// R11.3-05
TEST(GlobalResolver, ReadsSetsOfProtocol4) {
  EXPECT_EQ(load_entry("\x8f(K\x01K\x02\x90"), Value::set({1, 2}));
  EXPECT_EQ(load_entry("\x8f"), Value::set());
}

// R11.3-14
TEST(GlobalResolver, ReadsStringsOfPython2) {
  EXPECT_EQ(load_entry("U\x03xyz").as_string(), "xyz");
}

// R11.3-41, R11.3-42
TEST(GlobalResolver, ComplexAndQuantizedStoragesAreStoredAsBytes) {
  const auto foreign =
      foreign_tensor(load_entry(TensorPart{.storage = storage("ComplexFloatStorage", 6),
                                           .offset = number(1),
                                           .size = tuple({number(2), number(2)}),
                                           .stride = tuple({number(2), number(1)})}
                                    .str()));
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->dtype, "complex64");
  EXPECT_EQ(foreign->shape, Shape({2, 2}));
  EXPECT_EQ(foreign->strides, Shape({2, 1}));
  EXPECT_EQ(foreign->offset, 1);
  EXPECT_EQ(foreign->item_bits, 64);
  EXPECT_EQ(foreign->bytes.numel(), 48);
  EXPECT_EQ(foreign_tensor(load_entry(TensorPart{.storage = storage("ComplexDoubleStorage", 3),
                                                 .size = tuple({number(3)}),
                                                 .stride = kOne}
                                          .str()))
                ->dtype,
            "complex128");
  EXPECT_TRUE(contains(
      entry_error(TensorPart{
          .storage = storage("ComplexFloatStorage", 6), .size = tuple({number(7)}), .stride = kOne}
                      .str()),
      "does not fit its storage of 6 elements"));
  EXPECT_TRUE(contains(entry_error(TensorPart{.storage = storage("ComplexFloatStorage", 5)}.str()),
                       "does not match its record of 48 bytes"));
}

// R11.3-45
TEST(GlobalResolver, OldestCallHasFourArguments) {
  const Tensor t = load_entry(call("torch._utils", "_rebuild_tensor",
                                   {StoragePart{}.str(), number(4), kTwo, kOne}))
                       .as_tensor();
  EXPECT_EQ(t.shape(), Shape({2}));
  EXPECT_EQ(t.storage_offset(), 4);
  const Value foreign =
      load_entry(call("torch._utils", "_rebuild_tensor",
                      {storage("ComplexFloatStorage", 6), number(4), kTwo, kOne}));
  ASSERT_TRUE(foreign_tensor(foreign));
  EXPECT_FALSE(foreign_tensor(foreign)->requires_grad);
}

// R11.3-49
TEST(GlobalResolver, ParameterWithStateIsParameter) {
  const Value p =
      load_entry(call("torch._utils", "_rebuild_parameter_with_state",
                      {TensorPart{}.str(), kTrue, kNoHooks, dict({{"tag", number(1)}})}));
  EXPECT_TRUE(p.is_parameter());
  EXPECT_TRUE(p.as_tensor().requires_grad());
}

// R11.3-51, R11.3-53, R11.3-54, R11.3-55
TEST(GlobalResolver, UnsupportedLayoutsStayCalls) {
  for (const char* function :
       {"_rebuild_sparse_tensor", "_rebuild_nested_tensor", "_rebuild_wrapper_subclass",
        "_rebuild_device_tensor_from_numpy", "_rebuild_device_tensor_from_cpu_tensor"}) {
    const Value v = load_entry(call("torch._utils", function, {TensorPart{}.str(), number(7)}));
    ASSERT_EQ(v.kind(), Value::Kind::opaque) << function;
    EXPECT_EQ(v.as_opaque().callable.as_global().second, function);
    EXPECT_EQ(v.as_opaque().arguments[0].as_tensor().shape(), Shape({3, 4}));
    EXPECT_EQ(v.as_opaque().arguments[1].as_int(), 7);
    EXPECT_FALSE(v.as_opaque().is_new);
    EXPECT_TRUE(contains(
        entry_error(call("torch._utils", function, {TensorPart{}.str()}), {.strict = true}),
        "strict: "));
  }
}

// R11.3-52
TEST(GlobalResolver, MetaTensorHasNoData) {
  const auto meta = [](const std::string& dtype, const std::string& size,
                       const std::string& stride) {
    return call("torch._utils", "_rebuild_meta_tensor_no_storage", {dtype, size, stride, kTrue});
  };
  const Tensor t = load_entry(meta(name("torch", "float16"), tuple({number(2), number(3)}),
                                   tuple({number(1), number(2)})))
                       .as_tensor();
  EXPECT_TRUE(t.device().is_meta());
  EXPECT_EQ(t.dtype(), float16);
  EXPECT_EQ(t.strides(), Shape({1, 2}));
  EXPECT_TRUE(t.requires_grad());
  const std::string huge = tuple({number(1LL << 40), number(1LL << 40)});
  EXPECT_TRUE(contains(entry_error(meta(name("torch", "float32"), huge,
                                        tuple({number(1LL << 40), kOne.substr(1, 2)}))),
                       "invalid geometry: size"));
  EXPECT_EQ(load_entry(meta(name("torch", "complex64"), kTwo, kOne)).kind(), Value::Kind::opaque);
}

// R11.3-57
TEST(GlobalResolver, ReportsUnavailableLocation) {
  const auto from = [](const char* place) {
    return TensorPart{.storage = StoragePart{.location = text(place)}.str()}.str();
  };
  EXPECT_TRUE(load_entry(from("cpu")).as_tensor().device().is_cpu());
  for (const char* place : {"cuda:7", "mps", "xpu:0", "hpu:0", "nowhere"}) {
    const std::string message = entry_error(from(place));
    EXPECT_TRUE(contains(message, "storage location '" + std::string(place) +
                                      "' is not available; give map_location"));
  }
}

TEST(GlobalResolver, RejectsUnknownDeviceTypes) {
  const auto device = [](const char* place) {
    return call("torch", "device", {text(place), number(0)});
  };
  EXPECT_EQ(load_entry(device("hpu")).as_device().str(), "hpu:0");
  // torch.device rejects this name as well. If it were accepted, a file could register a device
  // type, and a backend of that name would be searched for.
  EXPECT_TRUE(contains(entry_error(device("of_a_file")), "unknown device type 'of_a_file:0'"));
  const std::string far =
      TensorPart{.storage = StoragePart{.location = text("of_a_file")}.str()}.str();
  EXPECT_TRUE(contains(entry_error(far), "unknown device type"));
  EXPECT_EQ(Device("of_this_program").type(), "of_this_program");
  EXPECT_EQ(load_entry(device("of_this_program")).as_device().str(), "of_this_program:0");
}

TEST(GlobalResolver, StorageIsSameValueAtEveryReference) {
  const std::string storage = StoragePart{}.str(), tensor = TensorPart{}.str();
  const Value kept = load_entry(tuple({storage, tensor, storage}));
  const Tensor all = kept.as_tuple()[0].as_tensor(), view = kept.as_tuple()[1].as_tensor();
  EXPECT_EQ(all.shape(), Shape({12}));
  EXPECT_TRUE(all.is_same(kept.as_tuple()[2].as_tensor()));
  EXPECT_FALSE(all.is_same(view));
  EXPECT_EQ(all.data<float>().data(), view.data<float>().data());
  // Tensors share the storage as well, although each of them has its own persistent id.
  const Value views = load_entry(tuple({tensor, tensor}));
  const Tensor first = views.as_tuple()[0].as_tensor(), second = views.as_tuple()[1].as_tensor();
  EXPECT_EQ(first.data<float>().data(), second.data<float>().data());
}

// R11.3-58
TEST(GlobalResolver, MapLocationAcceptsDeviceMapOrFunction) {
  const std::string far =
      TensorPart{.storage = StoragePart{.location = text("cuda:7")}.str()}.str();
  const auto place = [&](const MapLocation& where) {
    return load_entry(far, {.map_location = where}).as_tensor().device().str();
  };
  EXPECT_EQ(place(Device::cpu()), "cpu");
  EXPECT_EQ(place("cpu"), "cpu");
  EXPECT_EQ(place({{"cuda:6", Device("meta")}, {"cuda:7", Device::cpu()}}), "cpu");
  std::string asked;
  EXPECT_EQ(place([&](const std::string& saved) {
              asked = saved;
              return std::optional(Device::cpu());
            }),
            "cpu");
  EXPECT_EQ(asked, "cuda:7");
  // A storage without a mapping is loaded to its original location, which is not available here.
  EXPECT_TRUE(contains(entry_error(far, {.map_location = {{"cuda:6", Device::cpu()}}}),
                       "'cuda:7' is not available"));
  const auto nothing = [](const std::string&) { return std::optional<Device>(); };
  EXPECT_TRUE(contains(entry_error(far, {.map_location = nothing}), "'cuda:7' is not available"));
}

// R11.3-59
TEST(GlobalResolver, ReadsEveryStorageClassOfStateDicts) {
  const std::string ordered = name("collections", "OrderedDict") + ")R";
  const std::string metadata = ordered + "(" + text("") + dict({{"version", number(1)}}) + "u";
  std::string items;
  const std::vector<std::pair<const char*, std::int64_t>> kClasses = {
      {"DoubleStorage", 6}, {"FloatStorage", 12}, {"HalfStorage", 24},  {"BFloat16Storage", 24},
      {"LongStorage", 6},   {"IntStorage", 12},   {"ShortStorage", 24}, {"CharStorage", 48},
      {"ByteStorage", 48},  {"BoolStorage", 48}};
  std::vector<std::pair<std::string, std::string>> records = {{"version", "3"}};
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    const auto [cls, count] = kClasses[i];
    const std::string key = std::to_string(i);
    items += text(cls) + TensorPart{.storage = StoragePart{.cls = name("torch", cls),
                                                           .key = text(key),
                                                           .count = number(count)}
                                                   .str(),
                                    .size = kTwo,
                                    .stride = kOne}
                             .str();
    records.emplace_back("data/" + key, std::string(48, '\0'));
  }
  const std::string state =
      ordered + "(" + items + text("p") +
      call("torch._utils", "_rebuild_parameter",
           {TensorPart{.storage = StoragePart{.key = text("1")}.str()}.str(), kTrue, kNoHooks}) +
      "u" + dict({{"_metadata", metadata}}) + "b";
  records.emplace_back(
      "data.pkl", pickle(dict({{"model", state},
                               {"optimizer", dict({{"state", "}(K\x07}K\x08}u"},
                                                   {"lr", "G\x3f\xe0" + std::string(6, '\0')},
                                                   {"none", kNone},
                                                   {"list", "](K\x01" + kTrue + "e"},
                                                   {"pair", tuple({number(1), number(2)})}})}})));
  const std::string bytes = zip(records);
  const Value v = load(std::as_bytes(std::span(bytes)));
  const Value model = v["model"], optimizer = v["optimizer"];
  EXPECT_EQ(model.size(), 11u);
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    EXPECT_EQ(model[kClasses[i].first].as_tensor().dtype(), static_cast<DType>(i));
  EXPECT_TRUE(model["p"].is_parameter());
  EXPECT_EQ(model.as_dict().attribute("_metadata")->str(), "OrderedDict([('', {'version': 1})])");
  EXPECT_EQ(
      optimizer.str(),
      "{'state': {7: {}, 8: {}}, 'lr': 0.5, 'none': None, 'list': [1, True], 'pair': (1, 2)}");
}

}  // namespace
}  // namespace taper
