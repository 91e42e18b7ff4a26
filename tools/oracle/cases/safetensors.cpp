#include "cases/safetensors.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cases/outcome.h"
#include "core/tensor_impl.h"
#include "taper/core/factory.h"

namespace taper::oracle {
namespace {

DType dtype_named(const std::string& name) {
  constexpr std::string_view kNames[] = {"F64", "F32", "F16", "BF16", "I64",
                                         "I32", "I16", "I8",  "U8",   "BOOL"};
  for (int i = 0; i < kDTypeCount; ++i)
    if (name == kNames[i]) return static_cast<DType>(i);
  throw BadCase("unknown dtype " + name);
}

}  // namespace

std::map<std::string, Tensor> read_safetensors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadCase("cannot open " + path);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::uint64_t length = 0;
  if (bytes.size() >= 8) std::memcpy(&length, bytes.data(), 8);
  if (bytes.size() < 8 || length > bytes.size() - 8) throw BadCase(path + ": cut short");
  const auto header = nlohmann::json::parse(
      bytes.begin() + 8, bytes.begin() + 8 + static_cast<std::ptrdiff_t>(length));
  const std::string_view data = std::string_view(bytes).substr(8 + length);
  std::map<std::string, Tensor> tensors;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") continue;
    const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
    const auto end = entry.at("data_offsets").at(1).get<std::size_t>();
    const Tensor t = empty(Shape(entry.at("shape").get<std::vector<std::int64_t>>()),
                           {.dtype = dtype_named(entry.at("dtype"))});
    const auto size = static_cast<std::size_t>(t.numel()) * t.element_size();
    if (begin > end || end > data.size() || end - begin != size)
      throw BadCase(path + ": wrong extent of " + key);
    if (size) std::memcpy(impl(t).storage->buffer().data, data.data() + begin, size);
    tensors.emplace(key, t);
  }
  return tensors;
}

}  // namespace taper::oracle
