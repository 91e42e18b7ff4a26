// Printing of tensors, compared with texts recorded from PyTorch, and print options.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "core/tensor_impl.h"
#include "taper/core/error.h"
#include "taper/core/printing.h"
#include "taper_paths.h"

namespace taper {
namespace {

using Json = nlohmann::json;

DType dtype_named(const std::string& name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (name_of(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  throw std::runtime_error("no dtype " + name);
}

Tensor tensor_of(const Json& row) {
  const Shape shape(row["shape"].get<std::vector<std::int64_t>>());
  const DType dtype = dtype_named(row["dtype"]);
  if (row.contains("device")) return new_tensor(shape, dtype, Device::meta());
  const Tensor t = new_tensor(shape, dtype, Device::cpu());
  const std::string hex = row["data"];
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  if (!bytes.empty()) std::memcpy(impl(t).storage->buffer().data, bytes.data(), bytes.size());
  return t;
}

PrintOptionsChange change_of(const Json& row, std::string& profile) {
  PrintOptionsChange change;
  if (!row.contains("options")) return change;
  for (const auto& [name, value] : row["options"].items()) {
    if (name == "profile")
      change.profile = profile = value;
    else if (name == "sci_mode")
      change.sci_mode = value.get<bool>();
    else
      (name == "precision"   ? change.precision
       : name == "threshold" ? change.threshold
       : name == "edgeitems" ? change.edgeitems
                             : change.linewidth) = value.get<std::int64_t>();
  }
  return change;
}

TEST(Print, MatchesRecordedTexts) {
  std::ifstream file(TAPER_TEST_DATA "/print.json");
  const Json all = Json::parse(file);
  ASSERT_GT(all["cases"].size(), 300u);
  for (const Json& row : all["cases"]) {
    std::string profile;
    const PrintOptionsScope scope(change_of(row, profile));
    const Tensor t = tensor_of(row);
    if (row.contains("requires_grad")) t.set_requires_grad();
    EXPECT_EQ(t.str(), row["text"].get<std::string>())
        << row["dtype"] << row["shape"] << row.value("options", Json());
  }
}

Tensor counting(const Shape& shape, const Shape& strides, std::int64_t offset) {
  const Tensor t = new_tensor(16, DType::i32, Device::cpu());
  auto* data = reinterpret_cast<std::int32_t*>(impl(t).storage->buffer().data);
  for (std::int32_t i = 0; i < 16; ++i) data[i] = i;
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(impl(t).storage, shape, strides, offset, DType::i32)));
}

TEST(Print, FollowsStrides) {
  EXPECT_EQ(counting({2, 3}, {1, 4}, 2).str(),
            "tensor([[ 2,  6, 10],\n        [ 3,  7, 11]], dtype=torch.int32)");
  EXPECT_EQ(counting({2, 2}, {0, 1}, 5).str(),
            "tensor([[5, 6],\n        [5, 6]], dtype=torch.int32)");
}

TEST(Print, ReadsChannelsLastInLogicalOrder) {
  const Tensor t =
      new_tensor({1, 2, 2, 1}, DType::i32, Device::cpu(), PhysicalLayout::channels_last);
  auto* data = reinterpret_cast<std::int32_t*>(impl(t).storage->buffer().data);
  for (std::int32_t i = 0; i < 4; ++i) data[i] = i;  // at (0, 0), (1, 0), (0, 1), (1, 1)
  EXPECT_EQ(t.str(),
            "tensor([[[[0],\n          [2]],\n\n         [[1],\n          [3]]]], "
            "dtype=torch.int32)");
  EXPECT_TRUE(impl(t).storage->buffer().channels_last) << "printing must not reorder";
}

TEST(Print, PrintsParametersAndStreams) {
  const Tensor t = tensor_of({{"shape", {1}}, {"dtype", "float32"}, {"data", "0000803f"}});
  std::ostringstream out;
  out << t << '\n';
  EXPECT_EQ(out.str(), "tensor([1.])\n");
  t.set_requires_grad();
  EXPECT_EQ(parameter_str(t), "Parameter containing:\ntensor([1.], requires_grad=True)");
}

TEST(Print, OmitsDefaultDType) {
  const Tensor t = tensor_of({{"shape", {1}}, {"dtype", "float32"}, {"data", "0000803f"}});
  set_default_dtype(DType::f64);
  const std::string text = t.str();
  set_default_dtype(DType::f32);
  EXPECT_EQ(text, "tensor([1.], dtype=torch.float32)");
}

TEST(PrintOptions, AbsentOptionsStayExceptSciMode) {
  const PrintOptionsScope scope({.precision = 2, .sci_mode = true});
  EXPECT_EQ(get_printoptions().sci_mode, true);
  set_printoptions({.linewidth = 40});
  EXPECT_EQ(get_printoptions().precision, 2);
  EXPECT_EQ(get_printoptions().linewidth, 40);
  EXPECT_EQ(get_printoptions().sci_mode, std::nullopt);
  set_printoptions({.profile = "short"});
  EXPECT_EQ(get_printoptions().edgeitems, 2);
  EXPECT_EQ(get_printoptions().linewidth, 80);
}

TEST(PrintOptions, RejectsInvalidOptionsUnchanged) {
  EXPECT_THROW(set_printoptions({.precision = 3, .linewidth = -1}), ValueError);
  EXPECT_THROW(set_printoptions({.profile = "long"}), ValueError);
  EXPECT_EQ(get_printoptions().precision, 4);
}

}  // namespace
}  // namespace taper
