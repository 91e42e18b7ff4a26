#include "taper/core/value.h"

#include <algorithm>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "core/value/payload.h"

namespace taper {
namespace {

using namespace value;

template <class Payload, class... A> Ref<RefCounted> make_payload(A&&... a) {
  return Ref<RefCounted>::adopt(new Payload(std::forward<A>(a)...));
}

thread_local ValueContainer* pending_deletion = nullptr;
thread_local bool deleting = false;

}  // namespace

void ValueContainer::finish() noexcept {
  next_pending_ = pending_deletion;
  pending_deletion = this;
  if (deleting) return;
  deleting = true;
  while (pending_deletion) {
    ValueContainer* next = std::exchange(pending_deletion, pending_deletion->next_pending_);
    delete next;
  }
  deleting = false;
}

Value::Value(Kind kind, Ref<RefCounted> object) noexcept
    : object_(std::move(object)), kind_(kind) {}
Value::Value(const Scalar& v) noexcept : integer_(0) {
  switch (v.kind()) {
    case Scalar::Kind::boolean: boolean_ = v.to_bool(), kind_ = Kind::boolean; break;
    case Scalar::Kind::integer: integer_ = v.to_int(), kind_ = Kind::integer; break;
    case Scalar::Kind::floating: floating_ = v.to_double(), kind_ = Kind::floating; break;
  }
}
Value::Value(Complex v) : Value(Kind::complex, make_payload<ComplexPayload>(v)) {}
Value::Value(std::string_view text) : Value(Kind::string, make_payload<StringPayload>(text)) {}
Value::Value(const Tensor& t) noexcept : Value(Tensor(t)) {}
Value::Value(Tensor&& t) noexcept : integer_(0) {
  if (!t.defined()) return;
  new (&tensor_) Tensor(std::move(t));
  kind_ = Kind::tensor;
}
Value::Value(const Shape& size) : Value(Kind::size, make_payload<SizePayload>(size)) {}
Value::Value(Device v) noexcept : device_(v), kind_(Kind::device) {}
Value::Value(const ValueItemProxy& item) : Value(static_cast<const Value&>(item)) { kind(); }
Value::Value(ValueItemProxy&& item) : Value(static_cast<Value&&>(item)) { kind(); }

Value Value::list(Values items) {
  return {Kind::list, make_payload<ItemsPayload>(std::move(items))};
}
Value Value::tuple(Values items) {
  return {Kind::tuple, make_payload<ItemsPayload>(std::move(items))};
}
Value Value::named_tuple(std::string_view class_name,
                         std::vector<std::pair<std::string, Value>> items) {
  std::vector<std::string> names;
  Values values;
  for (auto& [name, value] : items) {
    value.kind();
    if (std::find(names.begin(), names.end(), name) != names.end())
      fail<ValueError>("named_tuple: Encountered duplicate field name: '{}'", name);
    names.push_back(std::move(name));
    values.push_back(std::move(value));
  }
  return {Kind::tuple, make_payload<ItemsPayload>(
                           std::move(values),
                           Ref<TupleClass>::adopt(new TupleClass(class_name, std::move(names))))};
}
Value Value::set(const Values& items) {
  Dict seen;
  for (const Value& item : items)
    if (!seen.contains(item)) seen.set(item, {});
  Values unique;
  for (const auto& [item, none] : seen) unique.push_back(item);
  return {Kind::set, make_payload<ItemsPayload>(std::move(unique))};
}
Value Value::with_items(Values items) const {
  if (is_list()) return list(std::move(items));
  if (is_set()) return set(items);
  if (!is_tuple()) throw_type("list, tuple or set");
  const Ref<TupleClass>& named = body<ItemsPayload>().tuple_class;
  if (named && items.size() != named->item_names.size())
    fail<ValueError>("with_items: got {} items, expected {} of {}", items.size(),
                     named->item_names.size(), type_name());
  return {Kind::tuple, make_payload<ItemsPayload>(std::move(items), named)};
}
Value Value::dict() { return {Kind::dict, make_payload<Dict>()}; }
Value Value::dict(std::initializer_list<std::pair<Value, Value>> entries) {
  Value d = dict();
  for (const auto& [key, v] : entries) d.as_dict().set(key, v);
  return d;
}
Value Value::ordered_dict() { return {Kind::dict, make_payload<Dict>("collections.OrderedDict")}; }

Value Value::big_integer(std::string_view decimal) {
  std::string_view digits = decimal;
  const bool negative = !digits.empty() && digits.front() == '-';
  if (negative) digits.remove_prefix(1);
  bool valid = !digits.empty();
  for (char c : digits) valid = valid && c >= '0' && c <= '9';
  if (!valid) fail<ValueError>("Value.big_integer: got '{}', expected decimal digits", decimal);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  std::int64_t n = 0;  // negated, because -2^63 has no positive counterpart
  bool fits = true;
  for (char c : digits)
    fits = fits && !__builtin_mul_overflow(n, std::int64_t{10}, &n) &&
           !__builtin_sub_overflow(n, static_cast<std::int64_t>(c - '0'), &n);
  if (fits && (negative || n != INT64_MIN)) return negative ? n : -n;
  return {Kind::big_integer,
          make_payload<StringPayload>((negative ? "-" : "") + std::string(digits))};
}
Value Value::bytes(std::string_view data) {
  return {Kind::bytes, make_payload<StringPayload>(data)};
}
Value Value::parameter(const Tensor& t) {
  Value v(t);
  v.is_parameter_ = t.defined();
  return v;
}
Value Value::global(std::string_view module, std::string_view name) {
  return {Kind::global, make_payload<GlobalPayload>(module, name)};
}
Value Value::module(Ref<ValueObject> object) {
  if (!object) return {};
  return {Kind::module, Ref<RefCounted>::share(object.get())};
}
Value Value::opaque(Opaque object) {
  return {Kind::opaque, make_payload<OpaquePayload>(std::move(object))};
}

void Value::throw_missing() const {
  const auto& missing = body<MissingPayload>();
  throw_missing_key(missing.dict.as_dict(), missing.key);
}
void Value::throw_type(const char* expected) const {
  kind();
  fail<TypeError>("value: got {}, expected {}", type_name(), expected);
}

bool Value::as_bool() const {
  if (kind_ != Kind::boolean) throw_type("bool");
  return boolean_;
}
std::int64_t Value::as_int() const {
  if (kind_ == Kind::integer) return integer_;
  if (kind_ == Kind::boolean) return boolean_ ? 1 : 0;
  if (kind_ == Kind::big_integer)
    fail<ValueError>("value: got {}, expected an integer of at most 64 bits", as_string());
  throw_type("int");
}
double Value::as_double() const {
  if (kind_ == Kind::floating) return floating_;
  if (kind_ == Kind::integer) return static_cast<double>(integer_);
  if (kind_ == Kind::boolean) return boolean_ ? 1 : 0;
  if (kind_ == Kind::big_integer) return std::stod(as_string());
  throw_type("float");
}
Complex Value::as_complex() const {
  if (kind_ == Kind::complex) return body<ComplexPayload>().number;
  return {as_double(), 0};
}
const std::string& Value::as_string() const& {
  if (kind_ != Kind::string && kind_ != Kind::big_integer) throw_type("str");
  return body<StringPayload>().text;
}
const std::string& Value::as_bytes() const& {
  if (kind_ != Kind::bytes) throw_type("bytes");
  return body<StringPayload>().text;
}
const Tensor& Value::as_tensor() const& {
  if (kind_ != Kind::tensor) throw_type("Tensor");
  return tensor_;
}
Tensor Value::as_tensor() const&& { return as_tensor(); }
Values Value::as_tuple() const&& { return as_tuple(); }
Values Value::as_sequence() const&& { return as_sequence(); }
std::pair<std::string, std::string> Value::as_global() const&& {
  const auto [module, name] = as_global();
  return {std::string(module), std::string(name)};
}
Opaque Value::as_opaque() const&& { return as_opaque(); }
Values& Value::as_list() const& {
  if (kind_ != Kind::list) throw_type("list");
  return body<ItemsPayload>().items;
}
const Values& Value::as_tuple() const& {
  if (kind_ != Kind::tuple) throw_type("tuple");
  return body<ItemsPayload>().items;
}
const std::vector<std::string>& Value::item_names() const& {
  static const NeverDestroyed<std::vector<std::string>> none;
  if (!is_tuple() || !body<ItemsPayload>().tuple_class) return *none;
  return body<ItemsPayload>().tuple_class->item_names;
}
const Values& Value::as_sequence() const& {
  if (kind_ != Kind::list && kind_ != Kind::tuple && kind_ != Kind::set)
    throw_type("list, tuple or set");
  return body<ItemsPayload>().items;
}
Dict& Value::as_dict() const& {
  if (kind_ != Kind::dict) throw_type("dict");
  return body<Dict>();
}
Shape Value::as_size() const {
  if (kind_ == Kind::size) return body<SizePayload>().size;
  if (kind_ != Kind::list && kind_ != Kind::tuple) throw_type("torch.Size, list or tuple");
  std::vector<std::int64_t> sizes;
  for (const Value& v : as_sequence()) sizes.push_back(v.as_int());
  return sizes;
}
DType Value::as_dtype() const {
  if (kind_ != Kind::dtype) throw_type("torch.dtype");
  return static_cast<DType>(integer_);
}
Device Value::as_device() const {
  if (kind_ != Kind::device) throw_type("torch.device");
  return device_;
}
std::pair<std::string_view, std::string_view> Value::as_global() const& {
  if (kind_ != Kind::global) throw_type("a class or function");
  const auto& global = body<GlobalPayload>();
  return {global.module, global.name};
}
ValueObject& Value::as_module() const& {
  if (kind_ != Kind::module) throw_type("a module");
  return body<ValueObject>();
}
Opaque& Value::as_opaque() const& {
  if (kind_ != Kind::opaque) throw_type("an object");
  return body<OpaquePayload>().object;
}

}  // namespace taper
