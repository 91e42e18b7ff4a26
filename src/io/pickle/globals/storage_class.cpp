#include "io/pickle/globals/storage_class.h"

#include <array>

namespace taper::io {
namespace {
constexpr std::array<std::string_view, kDTypeCount> kClasses = {
    "DoubleStorage", "FloatStorage", "HalfStorage", "BFloat16Storage", "LongStorage",
    "IntStorage",    "ShortStorage", "CharStorage", "ByteStorage",     "BoolStorage"};
constexpr std::array<std::string_view, kDTypeCount> kAliases = {
    "double", "float", "half", "", "long", "int", "short", "", "", ""};
}  // namespace

std::string_view storage_class(DType type) { return kClasses[static_cast<std::size_t>(type)]; }

std::optional<DType> dtype_of_storage(std::string_view class_name) {
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    if (kClasses[i] == class_name) return static_cast<DType>(i);
  return {};
}

std::optional<DType> dtype_named(std::string_view name) {
  for (std::size_t i = 0; i < kAliases.size(); ++i)
    if (name_of(static_cast<DType>(i)) == name || (!name.empty() && kAliases[i] == name))
      return static_cast<DType>(i);
  return {};
}

}  // namespace taper::io
