#include "io/pickle/writer.h"

#include "core/check.h"
#include "io/pickle/cycles.h"
#include "io/value_path.h"

namespace taper::io {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr std::string_view kCounter = "collections.Counter", kDefault = "collections.defaultdict";

/// Splits a qualified name such as "collections.OrderedDict" into module and name. The module of a
/// name without a dot is "collections".
std::pair<std::string_view, std::string_view> split(std::string_view full_name) {
  const std::size_t dot = full_name.rfind('.');
  if (dot == std::string_view::npos) return {"collections", full_name};
  return {full_name.substr(0, dot), full_name.substr(dot + 1)};
}

[[noreturn]] void reject(const Value& v) {
  fail<TypeError>("cannot write a value of type {}", v.type_name());
}

bool is_named(const Value& v, std::string_view module, std::string_view name) {
  return v.kind() == Value::Kind::global && v.as_global() == std::pair(module, name);
}

}  // namespace

void PickleWriter::enter(const void* identity) {
  if (!open_containers_.insert(identity).second) fail<ValueError>("a value contains itself");
}

/// Writes the operations that add items to their container in batches of 1000. Must be called
/// before each of the `count` items (or pairs), with its index `i`, and with `count` after the
/// last. A batch of a single item is written without a mark; if `whole` is true, only if `count`
/// is 1.
void PickleWriter::batch(std::size_t i, std::size_t count, bool pairs, bool whole) {
  const auto single = [&](std::size_t begin) {
    return count == 1 || (!whole && count - begin == 1);
  };
  if (i > 0 && (i % kBatch == 0 || i == count)) {
    const bool one = single((i - 1) / kBatch * kBatch);
    out_.op(pairs ? (one ? 's' : 'u') : (one ? 'a' : 'e'));
  }
  if (i < count && i % kBatch == 0 && !single(i)) out_.op('(');
}

void PickleWriter::write_device(Device d) {
  const bool has_index = !d.is_cpu() && !d.is_meta();
  out_.global("torch", "device");
  out_.text(d.type());
  if (has_index) out_.integer(d.index());
  out_.end_tuple(has_index ? 2 : 1);
  out_.op('R');
}

void PickleWriter::write_shape(const Shape& s) {
  out_.begin_tuple(s.size());
  for (const std::int64_t d : s) out_.integer(d);
  out_.end_tuple(s.size());
}

void PickleWriter::visit(const Value& v) {
  using Kind = Value::Kind;
  current_ = &v;
  switch (v.kind()) {
    case Kind::none: return out_.op('N');
    case Kind::boolean: return out_.boolean(v.as_bool());
    case Kind::integer: return out_.integer(v.as_int());
    case Kind::big_integer: return out_.big_integer(v.as_string());
    case Kind::floating: return out_.floating(v.as_double());
    case Kind::string: return out_.text(v.as_string());
    case Kind::bytes: return out_.bytes(v.as_bytes());
    case Kind::tensor: return write_tensor(v);
    case Kind::dtype: return out_.global("torch", name_of(v.as_dtype()));
    case Kind::device: return write_device(v.as_device());
    case Kind::size:
      out_.global("torch", "Size");
      write_shape(v.as_size());
      out_.end_tuple(1);
      return out_.op('R');
    case Kind::complex:
      out_.global("builtins", "complex");
      out_.floating(v.as_complex().real), out_.floating(v.as_complex().imag);
      out_.end_tuple(2);
      return out_.op('R');
    case Kind::global: return out_.global(v.as_global().first, v.as_global().second);
    case Kind::tuple: return visit_tuple(v);
    case Kind::list:
      if (out_.try_write_reference(&v.as_list())) return;
      out_.op(']');
      out_.memoize(&v.as_list());
      return push(v, &PickleWriter::step_list);
    case Kind::set:
      if (out_.try_write_reference(&v.as_sequence())) return;
      out_.global("builtins", "set");
      out_.op(']');
      return push(v, &PickleWriter::step_set);
    case Kind::dict: return visit_dict(v);
    case Kind::opaque: return visit_opaque(v);
    case Kind::module: return visit_module(v);
    default: reject(v);
  }
}

void PickleWriter::visit_tuple(const Value& v) {
  if (v.as_tuple().empty()) return out_.end_tuple(0);
  if (out_.try_write_reference(&v.as_tuple())) return;
  out_.begin_tuple(v.as_tuple().size());
  push(v, &PickleWriter::step_tuple);
}

void PickleWriter::step_tuple(Frame& f) {
  const Values& items = f.value->as_tuple();
  if (f.next < items.size()) return visit(items[f.next++]);
  frames_.pop_back();
  if (out_.is_memoized(
          &items)) {  // already written as a part of an item, such as a list that contains it
    out_.discard_tuple_items(items.size());
    out_.try_write_reference(&items);
  } else {
    out_.end_tuple(items.size());
    out_.memoize(&items);
  }
}

void PickleWriter::step_list(Frame& f) {
  const Values& items = f.value->as_list();
  const std::size_t i = f.next++;
  batch(i, items.size(), false);
  if (i < items.size()) return visit(items[i]);
  frames_.pop_back();
}

void PickleWriter::step_set(Frame& f) {
  const Values& items = f.value->as_sequence();
  const std::size_t i = f.next++;
  batch(i, items.size(), false);
  if (i < items.size()) return visit(items[i]);
  frames_.pop_back();
  out_.end_tuple(1);
  out_.op('R');
  out_.memoize(&items);
}

void PickleWriter::visit_dict(const Value& v) {
  const Dict& d = v.as_dict();
  if (out_.try_write_reference(&d)) return;
  const std::string& cls = d.class_name();
  if (cls.empty()) {
    out_.op('}');
  } else {
    const auto [module, name] = split(cls);
    out_.global(module, name);
    if (cls == kCounter) {  // Counter(dict)
      enter(&d);
      out_.op('}');
      return push(v, &PickleWriter::step_dict);
    }
    const Value* const factory = cls == kDefault ? d.attribute("default_factory") : nullptr;
    if (factory && factory->kind() == Value::Kind::opaque) {
      enter(&d);
      return push(v, &PickleWriter::step_factory);
    }
    if (factory && factory->kind() == Value::Kind::global) {
      out_.global(factory->as_global().first, factory->as_global().second);
      out_.end_tuple(1);
    } else {
      out_.end_tuple(0);
    }
    out_.op(cls == kDefault || name == "OrderedDict" ? 'R' : '\x81');
  }
  out_.memoize(&d);
  push(v, &PickleWriter::step_dict);
}

/// Writes the factory of a defaultdict if it is an object, such as a partial function.
void PickleWriter::step_factory(Frame& f) {
  const Dict& d = f.value->as_dict();
  if (f.next++ == 0) return visit(*d.attribute("default_factory"));
  out_.end_tuple(1);
  out_.op('R');
  out_.memoize(&d);
  open_containers_.erase(&d);
  f.next = 0;
  f.step = &PickleWriter::step_dict;
}

void PickleWriter::step_dict(Frame& f) {
  const Dict& d = f.value->as_dict();
  const std::string& cls = d.class_name();
  const bool counter = cls == kCounter;
  const std::size_t i = f.next++, halves = 2 * d.size();
  if (i <= halves && i % 2 == 0) batch(i / 2, d.size(), true, cls.empty() || counter);
  if (i < halves) {
    const Dict::Entry& e = d.entries()[i / 2];
    return visit(i % 2 ? e.second : e.first);
  }
  const bool attributes = !cls.empty() && !counter && cls != kDefault && d.attributes().is_dict() &&
                          d.attributes().size() > 0;
  if (attributes && i == halves) return visit(d.attributes());
  if (attributes) out_.op('b');
  if (counter) {
    out_.end_tuple(1);
    out_.op('R');
    out_.memoize(&d);
    open_containers_.erase(&d);
  }
  frames_.pop_back();
}

/// Returns true if the first argument of the call is the storage of a tensor.
bool PickleWriter::takes_storage(const Opaque& o) const {
  const auto [module, name] = o.callable.as_global();
  const bool over_storage =
      module == "torch._utils" && (name == "_rebuild_tensor" || name == "_rebuild_tensor_v2" ||
                                   name == "_rebuild_tensor_v3" || name == "_rebuild_qtensor");
  return over_storage && o.arguments.is_tuple() && o.arguments.size() > 0 &&
         o.arguments.as_tuple()[0].is_tensor();
}

void PickleWriter::visit_opaque(const Value& v) {
  const Opaque& o = v.as_opaque();
  if (o.callable.kind() != Value::Kind::global ||
      !(o.arguments.is_tuple() || o.arguments.is_none()))
    reject(v);
  if (out_.try_write_reference(&o) || write_foreign_tensor(v) || write_storage_object(o)) return;
  if (const Values* const known_by = placeholder_target(o)) {
    const auto meant = objects_by_arguments_.find(known_by);
    if (meant != objects_by_arguments_.end() && out_.try_write_reference(meant->second)) return;
    fail<ValueError>("reference to an enclosing object of {}, which is not part of the saved value",
                     o.callable.repr());
  }
  const bool bytearray = is_named(o.callable, "builtins", "bytearray") ||
                         is_named(o.callable, "__builtin__", "bytearray");
  if (bytearray && o.arguments.size() == 1 && o.arguments.as_tuple()[0] == Value::bytes("")) {
    // As in Python, an empty bytearray has no arguments; torch.load(weights_only=True) rejects
    // empty bytes.
    out_.global("builtins", "bytearray");
    out_.end_tuple(0);
    out_.op('R');
    return out_.memoize(&o);
  }
  enter(&o);
  push(v,
       begin_tensor_subclass(o) ? &PickleWriter::step_tensor_subclass : &PickleWriter::step_opaque);
}

void PickleWriter::visit_module(const Value& v) {
  const auto* module = dynamic_cast<const Picklable*>(&v.as_module());
  if (!module) reject(v);
  (void)module->pickled(forms_);
  visit(forms_.at(module->identity()));
}

void PickleWriter::step_opaque(Frame& f) {
  const Opaque& o = f.value->as_opaque();
  const bool storage = takes_storage(o);
  // Visits the callable, arguments, items, keys and values, and state, in this order.
  const std::size_t arguments = storage ? o.arguments.size() : 1;
  std::size_t i = f.next++;
  if (i == 0) return visit(o.callable);
  if (--i < arguments) {
    if (!storage) return o.arguments.is_none() ? out_.end_tuple(0) : visit(o.arguments);
    const Value& argument = o.arguments.as_tuple()[i];
    if (i > 0) return visit(argument);
    out_.begin_tuple(arguments);
    return write_call_storage(argument.as_tensor(), o.callable);
  }
  i -= arguments;
  if (i == 0) {
    if (storage) out_.end_tuple(arguments);
    out_.op(o.is_new ? '\x81' : 'R');
    out_.memoize(&o);
    if (o.arguments.is_tuple() && o.arguments.size() == 0)
      objects_by_arguments_.try_emplace(&o.arguments.as_tuple(), &o);
    open_containers_.erase(&o);
  }
  if (i <= o.items.size()) batch(i, o.items.size(), false, false);
  if (i < o.items.size()) return visit(o.items[i]);
  i -= o.items.size();
  const std::size_t halves = 2 * o.entries.size();
  if (i <= halves && i % 2 == 0) batch(i / 2, o.entries.size(), true, false);
  if (i < halves) return visit(i % 2 ? o.entries[i / 2].second : o.entries[i / 2].first);
  if (!o.state.is_none()) {
    if (i == halves) return visit(o.state);
    out_.op('b');
  }
  frames_.pop_back();
}

std::string PickleWriter::write(const Value& value) {
  try {
    visit(value);
    while (!frames_.empty()) (this->*frames_.back().step)(frames_.back());
  } catch (const Error& e) {
    const std::string path = path_to(value, current_);
    throw_error(e.kind(), "save: " + path + (path.empty() ? "" : ": ") + e.message());
  }
  return out_.finish();
}

}  // namespace taper::io
