// Indexing, size and membership of Values, as in Python.
#include <algorithm>

#include "core/check.h"
#include "core/value/payload.h"

namespace taper {
namespace {

std::size_t wrap_item_index(const Value& container, const Value& key, std::size_t count) {
  if (!key.is_int() && !key.is_bool())
    fail<TypeError>("{} indices must be integers, not {}", container.type_name(), key.type_name());
  const auto at = wrap_index(key.as_int(), static_cast<std::int64_t>(count));
  if (!at) fail<IndexError>("{} index out of range", container.type_name());
  return static_cast<std::size_t>(*at);
}

const Value& named_item(const Value& tuple, const Value& name) {
  const std::vector<std::string>& names = tuple.item_names();
  const auto found = std::find(names.begin(), names.end(), name.as_string());
  if (found == names.end())
    fail<KeyError>("'{}' object has no item '{}'", tuple.type_name(), name.as_string());
  return tuple.as_tuple()[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

ValueItemProxy::ValueItemProxy(Value found, Value container, Value key) noexcept
    : Value(std::move(found)), container_(std::move(container)), key_(std::move(key)) {}

void ValueItemProxy::operator=(const Value& value) && {
  value.kind();
  if (container_.is_dict()) {
    container_.as_dict().set(key_, value);
  } else if (container_.is_list()) {
    Values& items = container_.as_list();
    items[wrap_item_index(container_, key_, items.size())] = value;
  } else {
    fail<TypeError>("'{}' object does not support item assignment", container_.type_name());
  }
}

ValueItemProxy Value::item(const Value& key) const {
  switch (kind()) {
    case Kind::dict:
      if (const Value* found = as_dict().find(key)) return {*found, *this, key};
      return {Value(Kind::missing, Ref<RefCounted>::adopt(new value::MissingPayload(*this, key))),
              *this, key};
    case Kind::tuple:
      if (key.is_string() && !item_names().empty()) return {named_item(*this, key), *this, key};
      [[fallthrough]];
    case Kind::list: return {as_sequence()[wrap_item_index(*this, key, size())], *this, key};
    case Kind::size: return {as_size()[wrap_item_index(*this, key, size())], *this, key};
    default: fail<TypeError>("'{}' object is not subscriptable", type_name());
  }
}

std::size_t Value::size() const {
  switch (kind()) {
    case Kind::string: return as_string().size();
    case Kind::bytes: return as_bytes().size();
    case Kind::list:
    case Kind::tuple:
    case Kind::set: return as_sequence().size();
    case Kind::dict: return as_dict().size();
    case Kind::size: return body<value::SizePayload>().size.size();
    default: fail<TypeError>("object of type '{}' has no len()", type_name());
  }
}

const Value* Value::find(const Value& key) const& { return as_dict().find(key); }

bool Value::contains(const Value& key) const {
  if (is_dict()) return as_dict().contains(key);
  for (const Value& item : as_sequence())
    if (item == key) return true;
  return false;
}

void Value::append(Value item) const {
  item.kind();
  as_list().push_back(std::move(item));
}

}  // namespace taper
