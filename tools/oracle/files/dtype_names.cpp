#include "files/dtype_names.h"

#include <algorithm>
#include <array>

#include "core/dtype_table.h"

namespace taper::oracle {
namespace {

// Returns the names of a dtype that Taper does not support.
constexpr DTypeNames foreign(std::string_view brief, std::string_view torch,
                             std::string_view safetensors = "", std::string_view storage = "") {
  return {brief, torch, "", "", "", storage, safetensors, ""};
}
constexpr std::array kForeign = {foreign("c32", "complex32", "", "ComplexHalfStorage"),
                                 foreign("c64", "complex64", "C64", "ComplexFloatStorage"),
                                 foreign("c128", "complex128", "", "ComplexDoubleStorage"),
                                 foreign("f8_e4m3fn", "float8_e4m3fn", "F8_E4M3"),
                                 foreign("f8_e5m2", "float8_e5m2", "F8_E5M2"),
                                 foreign("f8_e4m3fnuz", "float8_e4m3fnuz", "F8_E4M3FNUZ"),
                                 foreign("f8_e5m2fnuz", "float8_e5m2fnuz", "F8_E5M2FNUZ"),
                                 foreign("f8_e8m0fnu", "float8_e8m0fnu", "F8_E8M0"),
                                 foreign("f4_e2m1fn_x2", "float4_e2m1fn_x2", "F4")};

/// Returns the names of the dtype whose name of the given kind is `name`; null if it is unknown.
const DTypeNames* find(std::string_view DTypeNames::*kind, std::string_view name) {
  if (const auto own = find_dtype(kind, name)) return &names_of(*own);
  const auto found = std::find_if(kForeign.begin(), kForeign.end(),
                                  [&](const DTypeNames& n) { return n.*kind == name; });
  return found == kForeign.end() ? nullptr : &*found;
}

}  // namespace

std::string_view short_name(DType dtype) { return names_of(dtype).brief; }

std::string short_name(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  const DTypeNames* const known = find(&DTypeNames::torch, name);
  return std::string(known ? known->brief : name);
}

std::vector<std::string> names_of_dtype(const std::string& brief) {
  std::vector<std::string> all{brief};
  if (const DTypeNames* const n = find(&DTypeNames::brief, brief))
    for (const std::string_view name : {n->torch, n->safetensors, n->storage})
      if (!name.empty()) all.emplace_back(name);
  return all;
}

bool is_foreign(const std::string& brief) { return !find_dtype(&DTypeNames::brief, brief); }

}  // namespace taper::oracle
