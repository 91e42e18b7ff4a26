#include "io/pickle/globals/storage_id.h"

#include "core/check.h"
#include "io/pickle/globals/device_name.h"
#include "io/pickle/globals/storage_class.h"
#include "io/text.h"

namespace taper::io {
namespace {

struct Elements {
  DType dtype;
  const ForeignDType* foreign = nullptr;
};

Elements elements_of(const Value& cls) {
  if (cls.kind() != Value::Kind::global)
    fail<ValueError>("invalid storage class: expected a global");
  const auto [module, name] = cls.as_global();
  // Old versions of PyTorch saved CUDA tensors with the storage classes of module torch.cuda.
  if (module == "torch" || module == "torch.cuda") {
    if (const auto type = dtype_of_storage(name)) return {*type};
    if (const ForeignDType* foreign = foreign_dtype_of_storage(name)) return {DType::u8, foreign};
  }
  if (module == "torch.storage" && name == "UntypedStorage") return {DType::u8};
  fail<ValueError>("storages of class {}.{} are not supported", escape_for_message(module),
                   escape_for_message(name));
}

}  // namespace

StorageId StorageId::read(const Value& id, std::size_t parts) {
  const bool fits = id.is_tuple() && id.size() == parts && id.as_tuple()[0].is_string() &&
                    id.as_tuple()[0].as_string() == "storage" && id.as_tuple()[2].is_string() &&
                    id.as_tuple()[3].is_string() && id.as_tuple()[4].is_int();
  if (!fits)
    fail<ValueError>("invalid persistent id: got {}, expected that of a storage",
                     escape_for_message(id.type_name()));
  const Values& of = id.as_tuple();
  const Elements e = elements_of(of[1]);
  StorageId s{e.dtype, e.foreign, of[2].as_string(), of[3].as_string(), of[4].as_int()};
  const std::int64_t element = e.foreign ? e.foreign->bits / 8 : 1;
  if (s.count < 0 || __builtin_mul_overflow(s.count, element, &s.count))
    fail<ValueError>("storage '{}' has {} elements", escape_for_message(s.key), of[4].as_int());
  return s;
}

void StorageId::check_matches(std::int64_t elements, DType type) const {
  if (type != dtype || elements != count)
    fail<ValueError>(
        "conflicting definitions of storage '{}': got {} elements of {} and {} elements of {}",
        escape_for_message(key), elements, type, count, dtype);
}

Tensor StorageId::move_to_location(const Tensor& flat, const LoadOptions& options) const {
  if (const std::optional<Device> mapped_device = options.map_location(location))
    return flat.to(*mapped_device);
  std::string why = "unknown device type";
  try {
    if (const std::optional<Device> known = parse_known_device(location)) return flat.to(*known);
  } catch (const DeviceError& e) { why = e.message(); }
  fail<ValueError>("storage location '{}' is not available; give map_location ({})",
                   escape_for_message(location), escape_for_message(why));
}

}  // namespace taper::io
