#include "io/pickle/globals/storage_class.h"

#include "core/dtype_table.h"

namespace taper::io {

std::string_view storage_class(DType type) { return names_of(type).storage; }

std::optional<DType> dtype_of_storage(std::string_view class_name) {
  return find_dtype(&DTypeNames::storage, class_name);
}

std::optional<DType> dtype_named(std::string_view name) {
  const auto found = find_dtype(&DTypeNames::torch, name);
  return found ? found : find_dtype(&DTypeNames::alias, name);
}

}  // namespace taper::io
