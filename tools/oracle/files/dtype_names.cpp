#include "files/dtype_names.h"

#include <algorithm>
#include <array>

namespace taper::oracle {
namespace {

struct Names {
  std::string_view brief, torch, safetensors, storage;
};

// In the order of DType, followed by dtypes that Taper does not support.
constexpr std::array<Names, 22> kNames = {{{"f64", "float64", "F64", "DoubleStorage"},
                                           {"f32", "float32", "F32", "FloatStorage"},
                                           {"f16", "float16", "F16", "HalfStorage"},
                                           {"bf16", "bfloat16", "BF16", "BFloat16Storage"},
                                           {"i64", "int64", "I64", "LongStorage"},
                                           {"i32", "int32", "I32", "IntStorage"},
                                           {"i16", "int16", "I16", "ShortStorage"},
                                           {"i8", "int8", "I8", "CharStorage"},
                                           {"u8", "uint8", "U8", "ByteStorage"},
                                           {"bool", "bool", "BOOL", "BoolStorage"},
                                           {"c32", "complex32", "", "ComplexHalfStorage"},
                                           {"c64", "complex64", "C64", "ComplexFloatStorage"},
                                           {"c128", "complex128", "", "ComplexDoubleStorage"},
                                           {"u16", "uint16", "U16", ""},
                                           {"u32", "uint32", "U32", ""},
                                           {"u64", "uint64", "U64", ""},
                                           {"f8_e4m3fn", "float8_e4m3fn", "F8_E4M3", ""},
                                           {"f8_e5m2", "float8_e5m2", "F8_E5M2", ""},
                                           {"f8_e4m3fnuz", "float8_e4m3fnuz", "F8_E4M3FNUZ", ""},
                                           {"f8_e5m2fnuz", "float8_e5m2fnuz", "F8_E5M2FNUZ", ""},
                                           {"f8_e8m0fnu", "float8_e8m0fnu", "F8_E8M0", ""},
                                           {"f4_e2m1fn_x2", "float4_e2m1fn_x2", "F4", ""}}};

}  // namespace

std::string_view short_name(DType dtype) { return kNames[static_cast<std::size_t>(dtype)].brief; }

std::string short_name(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  for (const Names& n : kNames)
    if (n.torch == name) return std::string(n.brief);
  return std::string(name);
}

std::vector<std::string> names_of_dtype(const std::string& brief) {
  std::vector<std::string> all{brief};
  for (const Names& n : kNames)
    if (n.brief == brief)
      for (const std::string_view name : {n.torch, n.safetensors, n.storage})
        if (!name.empty()) all.emplace_back(name);
  return all;
}

bool is_foreign(const std::string& brief) {
  return std::none_of(kNames.begin(), kNames.begin() + kDTypeCount,
                      [&](const Names& n) { return n.brief == brief; });
}

}  // namespace taper::oracle
