#include "io/pickle/globals/foreign_dtypes.h"

#include <algorithm>
#include <array>

namespace taper::io {
namespace {

// Dtypes such as quint4x2 and bits1x8 pack several numbers into a byte, which counts as one
// element.
constexpr std::array kKnown = {
    ForeignDType{"complex32", 32, "", ""},
    ForeignDType{"complex64", 64, "ComplexFloatStorage", "C64"},
    ForeignDType{"complex128", 128, "ComplexDoubleStorage", ""},
    ForeignDType{"bcomplex32", 32, "", ""},
    ForeignDType{"float8_e4m3fn", 8, "", "F8_E4M3"},
    ForeignDType{"float8_e4m3fnuz", 8, "", "F8_E4M3FNUZ"},
    ForeignDType{"float8_e5m2", 8, "", "F8_E5M2"},
    ForeignDType{"float8_e5m2fnuz", 8, "", "F8_E5M2FNUZ"},
    ForeignDType{"float8_e8m0fnu", 8, "", "F8_E8M0"},
    ForeignDType{"float4_e2m1fn_x2", 8, "", ""},
    // The next three sub-byte dtypes exist in safetensors only.
    ForeignDType{"float4_e2m1fn", 4, "", "F4"},
    ForeignDType{"float6_e2m3fn", 6, "", "F6_E2M3"},
    ForeignDType{"float6_e3m2fn", 6, "", "F6_E3M2"},
    ForeignDType{"qint8", 8, "QInt8Storage", ""},
    ForeignDType{"quint8", 8, "QUInt8Storage", ""},
    ForeignDType{"qint32", 32, "QInt32Storage", ""},
    ForeignDType{"quint4x2", 8, "QUInt4x2Storage", ""},
    ForeignDType{"quint2x4", 8, "QUInt2x4Storage", ""},
    ForeignDType{"bits1x8", 8, "", ""},
    ForeignDType{"bits2x4", 8, "", ""},
    ForeignDType{"bits4x2", 8, "", ""},
    ForeignDType{"bits8", 8, "", ""},
    ForeignDType{"bits16", 16, "", ""},
};

const ForeignDType* find(std::string_view ForeignDType::*member, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const ForeignDType& d) { return d.*member == name; });
  return found == kKnown.end() ? nullptr : &*found;
}

}  // namespace

const ForeignDType* foreign_dtype(std::string_view name) { return find(&ForeignDType::name, name); }
const ForeignDType* foreign_dtype_of_storage(std::string_view class_name) {
  return find(&ForeignDType::storage, class_name);
}
const ForeignDType* foreign_dtype_of_safetensors(std::string_view name) {
  return find(&ForeignDType::safetensors, name);
}

}  // namespace taper::io
