#include "io/pickle/globals/resolver.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "io/pickle/globals/class_name.h"
#include "io/pickle/globals/device_name.h"
#include "io/pickle/globals/reduce_call.h"
#include "io/pickle/globals/safe_globals.h"
#include "io/pickle/globals/storage_class.h"
#include "io/pickle/values.h"
#include "io/text.h"
#include "taper/io/pickle_scan.h"

namespace taper::io {
namespace {

constexpr std::size_t kMaxNameLength =
    1000;  // bounds the work per reference to a name, which takes few bytes in the file

Value keep_opaque(const ReduceCall& c) { return opaque(c.callable, c.arguments); }

/// Returns true for a value created by `attribute`.
bool is_attribute(const Value& v) {
  if (v.kind() != Value::Kind::opaque) return false;
  return python_name(global_name(v.as_opaque().callable)) == "builtins.getattr";
}

Value fill(Value dict, const ReduceCall& c, std::size_t i) {
  if (c.size() <= i) return dict;
  const Value& given = c.at(i);
  const auto set = [&](const Value& key, const Value& value) {
    if (!is_bounded_key(key)) c.reject("a key is too large");
    dict.as_dict().set(key, value);
  };
  if (given.is_dict()) {
    for (const auto& [k, v] : given.as_dict()) set(k, v);
    return dict;
  }
  if (!given.is_list()) c.expected(i, "a list of pairs");
  for (const Value& p : given.as_list()) {
    const bool pair = (p.is_tuple() || p.is_list()) && p.size() == 2;
    if (!pair) c.reject("expected pairs, got {}", p.type_name());
    set(p.as_sequence()[0], p.as_sequence()[1]);
  }
  return dict;
}

Value ordered_dict(const ReduceCall& c) { return fill(Value::ordered_dict(), c, 0); }

Value counter(const ReduceCall& c) {
  Value d = Value::dict();
  d.as_dict().set_class_name("collections.Counter");
  return fill(d, c, 0);
}

Value default_dict(const ReduceCall& c) {
  const bool factory = c.size() == 0 || c.at(0).is_none() ||
                       c.at(0).kind() == Value::Kind::global ||
                       c.at(0).kind() == Value::Kind::opaque;
  if (!factory) c.expected(0, "a class, a function or None");
  Value d = Value::dict();
  d.as_dict().set_class_name("collections.defaultdict");
  if (c.size() > 0 && !c.at(0).is_none()) d.as_dict().set_attribute("default_factory", c.at(0));
  return fill(d, c, 1);
}

Value set(const ReduceCall& c) {
  if (c.size() == 0) return Value::set();
  if (!c.at(0).is_list() && !c.at(0).is_tuple()) c.expected(0, "a list");
  for (const Value& item : c.at(0).as_sequence())
    if (!is_bounded_key(item)) c.reject("an item is too large");
  return Value::set(c.at(0).as_sequence());
}

Value complex(const ReduceCall& c) {
  for (std::size_t i = 0; i < 2; ++i)
    if (!c.at(i).is_float() && !c.at(i).is_int()) c.expected(i, "a number");
  return Complex{c.at(0).as_double(), c.at(1).as_double()};
}

Value empty_bytes(const ReduceCall& c) { return c.size() == 0 ? Value::bytes("") : keep_opaque(c); }

Value size(const ReduceCall& c) { return c.shape(0); }

Value device(const ReduceCall& c) {
  if (!c.at(0).is_string()) c.expected(0, "a name");
  std::string text = c.at(0).as_string();
  if (c.size() > 1) text += ":" + std::to_string(c.integer(1));
  try {
    if (const std::optional<Device> known = parse_known_device(text)) return *known;
    c.reject("unknown device type '{}'", escape_for_message(text));
  } catch (const DeviceError& e) { c.reject("{}", escape_for_message(e.what())); }
}

/// Handles _codecs.encode(text, 'latin1'), the form of a bytes object in protocols without bytes.
Value encode(const ReduceCall& c) {
  if (!c.at(0).is_string()) c.expected(0, "a string");
  if (!c.at(1).is_string() || (c.at(1).as_string() != "latin1" && c.at(1).as_string() != "latin-1"))
    c.reject("only the encoding latin1 is supported");
  std::string bytes;
  const std::string& utf8 = c.at(0).as_string();
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    if (first < 0x80)
      bytes += utf8[i];
    else if ((first & 0xfc) == 0xc0 && i + 1 < utf8.size())
      bytes += static_cast<char>((first & 3) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
    else
      c.reject("the string has characters outside of latin-1");
  }
  return Value::bytes(bytes);
}

/// Handles copyreg._reconstructor(class, object, None), the form of NEWOBJ before protocol 2.
Value reconstructor(const ReduceCall& c) {
  if (c.at(0).kind() != Value::Kind::global) c.expected(0, "a class");
  const Value& base = c.at(1);
  const bool plain = base.kind() == Value::Kind::global && base.as_global().second == "object" &&
                     c.at(2).is_none();
  return plain ? c.resolver.make(c.at(0), Value::tuple()) : keep_opaque(c);
}

/// Handles getattr(class, name), the form of nested names before protocol 4, and getattr(object,
/// name), the form of bound methods such as hooks. The result is a name or an opaque value; no
/// attribute is looked up.
Value attribute(const ReduceCall& c) {
  const bool named = c.size() == 2 && c.at(1).is_string() && !c.at(1).as_string().empty() &&
                     c.at(1).as_string().find('.') == std::string::npos;
  if (!named) c.reject_call();
  const Value& owner = c.at(0);
  if (owner.kind() == Value::Kind::global) {
    const auto [module, outer] = owner.as_global();
    if (c.at(1).as_string().size() > kMaxNameLength) c.reject_call();
    const std::string whole = std::string(outer) + "." + c.at(1).as_string();
    if (!is_nested_name(module, whole)) c.reject_call();
    return Value::global(module, whole);
  }
  const bool holds = identity(owner) || owner.is_tensor();
  if (!holds || is_attribute(owner)) c.reject_call();
  return keep_opaque(c);
}

/// Handles functools.partial. The bound arguments are in the state that follows the call in the
/// pickle.
Value partial(const ReduceCall& c) {
  const bool has_callable = c.size() == 1 && (c.at(0).kind() == Value::Kind::global ||
                                              c.at(0).kind() == Value::Kind::opaque);
  if (!has_callable) c.reject_call();
  return keep_opaque(c);
}

enum class GlobalKind : std::uint8_t { class_, function };

struct KnownCall {
  Value (*build)(const ReduceCall&);
  GlobalKind kind;
};

/// Returns the table of supported calls, indexed by their Python 3 names.
const std::unordered_map<std::string_view, KnownCall>& table() {
  static const NeverDestroyed<std::unordered_map<std::string_view, KnownCall>> known(
      std::initializer_list<std::pair<const std::string_view, KnownCall>>{
#define CALL(name, builder, kind, risk) {name, {builder, GlobalKind::kind}},
#define NAME(name, risk)
#include "io/pickle/globals/known_globals.inc"
#undef CALL
#undef NAME
      });
  return *known;
}

/// Returns true if a called name is considered a class, whose objects are opaque: it is spelled
/// like a class and its module is not dangerous. The classes that torch.load(weights_only=True)
/// accepts are in the table.
bool is_opaque_class(const std::string& name) {
  if (name.starts_with("torch.return_types.")) return true;  // named tuples returned by ops
  if (!is_class_name(name)) return false;
  const PickleRisk risk = classify_global(name, true);
  return risk != PickleRisk::allowed && risk != PickleRisk::dangerous;
}

void check_arguments(const std::string& name, const Value& arguments) {
  if (!arguments.is_tuple())
    fail<ValueError>("{}: invalid arguments: got {}, expected a tuple", escape_for_message(name),
                     arguments.type_name());
}

}  // namespace

void ReduceCall::reject_call() const {
  fail<ValueError>("the file calls {}, which checkpoints do not use; loading never executes code",
                   escape_for_message(name));
}

Value opaque(const Value& callable, const Value& arguments) {
  Opaque o;
  o.callable = callable;
  o.arguments = arguments;
  return Value::opaque(std::move(o));
}

Value GlobalResolver::global(std::string_view module, std::string_view name) const {
  if (module == "torch")
    if (const auto type = dtype_named(name)) return *type;
  // PyTorch's blocklist. Checkpoints do not refer to these modules even by name.
  constexpr std::array<std::string_view, 4> kBlocked = {"sys", "os", "posix", "nt"};
  if (std::find(kBlocked.begin(), kBlocked.end(), module) != kBlocked.end())
    fail<ValueError>("the file names {}.{}, which checkpoints do not use: it may be malicious",
                     module, escape_for_message(name));
  if (module.empty() || name.empty()) fail<ValueError>("empty name of a global");
  if (module.size() + name.size() > kMaxNameLength)
    fail<ValueError>("name of a global too long: got {} characters: {}.{}",
                     module.size() + name.size(), escape_for_message(module, 60),
                     escape_for_message(name, 60));
  if (strict_ && !is_safe_global(python_name(global_name(module, name))))
    fail<ValueError>("strict: the file names {}.{}, which torch.load(weights_only=True) rejects",
                     escape_for_message(module), escape_for_message(name));
  return Value::global(module, name);
}

struct GlobalResolver::Callee {
  Value global;  // owns the module name, whose address identifies the entry
  std::string name;
  const KnownCall* known;
  bool is_class;  ///< true if the name is not in the table and considered a class
};

std::shared_ptr<const GlobalResolver::Callee> GlobalResolver::callee(const Value& global) const {
  const char* const text = global.as_global().first.data();
  for (const auto& c : callees_)
    if (c->global.as_global().first.data() == text) return c;
  constexpr std::size_t kMax = 8;
  if (callees_.size() == kMax) callees_.clear();
  const std::string name = python_name(global_name(global));
  const auto found = table().find(name);
  const KnownCall* const known = found == table().end() ? nullptr : &found->second;
  return callees_.emplace_back(
      std::make_shared<const Callee>(Callee{global, name, known, !known && is_opaque_class(name)}));
}

Value GlobalResolver::call(const Value& callable, const Value& arguments) const {
  if (callable.kind() != Value::Kind::global)
    fail<ValueError>("{} is called, which is not a class or function", callable.type_name());
  const auto c = callee(callable);
  const ReduceCall made{*this, callable, arguments, c->name};
  if (!c->known && !c->is_class) made.reject_call();
  check_arguments(c->name, arguments);
  return checked(c->known ? c->known->build(made) : keep_opaque(made), c->name);
}

Value GlobalResolver::checked(Value made, const std::string& name) const {
  // torch.load(weights_only=True) accepts a bytearray, which is an opaque value here.
  if (strict_ && made.kind() == Value::Kind::opaque && name != "builtins.bytearray")
    fail<ValueError>("strict: objects of {} are loaded as opaque values only",
                     escape_for_message(name));
  return made;
}

Value GlobalResolver::make(const Value& cls, const Value& arguments) const {
  if (cls.kind() != Value::Kind::global)
    fail<ValueError>("an object of {} is created, which is not a class", cls.type_name());
  const auto c = callee(cls);
  check_arguments(c->name, arguments);
  if (c->known ? c->known->kind != GlobalKind::class_ : c->name.starts_with("builtins."))
    fail<ValueError>("an object of {} is created, which is not a class used by checkpoints",
                     escape_for_message(c->name));
  Value object =
      checked(c->known ? c->known->build({*this, cls, arguments, c->name}) : opaque(cls, arguments),
              c->name);
  if (object.kind() == Value::Kind::opaque) object.as_opaque().is_new = true;
  return object;
}

}  // namespace taper::io
