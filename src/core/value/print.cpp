// Printed forms of Values, as in Python.
#include <algorithm>
#include <ostream>

#include "core/number_text.h"
#include "core/value/payload.h"
#include "taper/core/error.h"
#include "taper/core/printing.h"

namespace taper {
namespace value {

std::string quoted(std::string_view text, bool bytes) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out = bytes ? "b" : "";
  out += quote;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (u < 0x20 || u == 0x7f || (bytes && u > 0x7f))
      ((out += "\\x") += "0123456789abcdef"[u >> 4]) += "0123456789abcdef"[u & 15];
    else
      out += c;
  }
  return out += quote;
}

namespace {

using K = Value::Kind;

std::string last_component(std::string_view dotted_name) {
  const std::size_t dot = dotted_name.rfind('.');
  return std::string(dot == std::string_view::npos ? dotted_name : dotted_name.substr(dot + 1));
}

/// Prints without recursion, because the stack of a thread may be too small for kMaxDepth calls.
class Printer {
 public:
  std::string out;

  void print(const Value& v) {
    begin(v);
    while (!open_.empty()) step();
  }

 private:
  /// A container that is partly printed.
  struct OpenContainer {
    const Values* items;  // of a sequence; null for a dict
    const Dict* dict;
    std::string_view closing_bracket;
    std::vector<std::string> names{};  // of the items of a named tuple
    std::size_t next = 0;              // index of the next item
    bool at_value = false;             // of a dict: the key of the item was printed
    const void* body() const { return items ? static_cast<const void*>(items) : dict; }
  };

  /// Prints a value, or the opening bracket of a container, whose items are printed by step().
  void begin(const Value& v) {
    switch (v.kind()) {
      case K::none: out += "None"; break;
      case K::boolean: out += bool_text(v.as_bool()); break;
      case K::integer: out += std::to_string(v.as_int()); break;
      case K::big_integer: out += v.as_string(); break;
      case K::floating: out += python_repr(v.as_double()); break;
      case K::complex: out += format_complex(v.as_complex()); break;
      case K::string: out += quoted(v.as_string()); break;
      case K::bytes: out += quoted(v.as_bytes(), true); break;
      case K::tensor:
        out += v.is_parameter() ? parameter_str(v.as_tensor()) : v.as_tensor().str();
        break;
      case K::list:
      case K::tuple:
      case K::set: begin_sequence(v); break;
      case K::dict: begin_dict(v.as_dict()); break;
      case K::size: out += "torch.Size(" + v.as_size().str() + ")"; break;
      case K::dtype: (out += "torch.") += name_of(v.as_dtype()); break;
      case K::device: device(v.as_device()); break;
      case K::global: out += class_of(v); break;
      case K::module: out += v.as_module().str(); break;
      case K::opaque:
        out += "<" + last_component(v.as_opaque().callable.is_none() ? "unknown" : dotted_name(v)) +
               " object>";
        break;
      case K::missing: break;
    }
  }

  static std::string dotted_name(const Value& opaque) {
    const auto [module, name] = opaque.as_opaque().callable.as_global();
    return std::string(module) + "." + std::string(name);
  }
  static std::string class_of(const Value& global) {
    const auto [module, name] = global.as_global();
    return "<class '" + (module.empty() ? "" : std::string(module) + ".") + std::string(name) +
           "'>";
  }
  // Python omits ".0" in complex numbers.
  static std::string format_component(double v) {
    std::string s = python_repr(v);
    if (s.size() > 2 && s.compare(s.size() - 2, 2, ".0") == 0) s.resize(s.size() - 2);
    return s;
  }
  static std::string format_complex(Complex c) {
    const std::string imag = format_component(c.imag);
    if (c.real == 0 && python_repr(c.real) == "0.0") return imag + "j";
    return "(" + format_component(c.real) + (imag[0] == '-' ? "" : "+") + imag + "j)";
  }
  void device(Device d) {
    ((out += "device(type='") += d.type()) += "'";
    if (!d.is_cpu() && !d.is_meta()) out += ", index=" + std::to_string(d.index());
    out += ")";
  }
  bool is_open(const void* body) const {
    return std::any_of(open_.begin(), open_.end(),
                       [&](const OpenContainer& o) { return o.body() == body; });
  }
  void push(OpenContainer container) {
    if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) throw_too_deep("printing");
    open_.push_back(std::move(container));
  }

  void begin_sequence(const Value& v) {
    const Values& items = v.as_sequence();
    const std::vector<std::string>& names = v.item_names();
    if (v.is_tuple() && v.type_name() != "tuple") out += v.type_name();
    if (v.is_set() && items.empty()) {
      out += "set()";
    } else if (is_open(&items)) {
      out += v.is_list() ? "[...]" : "(...)";
    } else {
      out += v.is_list() ? '[' : v.is_set() ? '{' : '(';
      push({&items, nullptr,
            v.is_list()  ? "]"
            : v.is_set() ? "}"
                         : (items.size() == 1 && names.empty() ? ",)" : ")"),
            names});
    }
  }

  void begin_dict(const Dict& d) {
    const std::string name = last_component(d.class_name());
    if (is_open(&d)) {
      out += name.empty() ? "{...}" : "...";
      return;
    }
    if (!name.empty()) out += name + "(";
    if (!name.empty() && d.empty()) {
      out += ")";
      return;
    }
    const bool pairs = name == "OrderedDict";
    out += pairs ? '[' : '{';
    push({nullptr, &d, pairs ? "])" : name.empty() ? "}" : "})", {}});
  }

  /// Prints the next part of the innermost container, which may begin another one.
  void step() {
    OpenContainer& o = open_.back();
    const bool pairs = o.closing_bracket == "])";
    if (o.dict && o.at_value) {
      o.at_value = false;
      out += pairs ? ", " : ": ";
      return begin(o.dict->entries()[o.next++].second);
    }
    if (pairs && o.next > 0) out += ')';
    if (o.next == (o.dict ? o.dict->size() : o.items->size())) {
      out += o.closing_bracket;
      open_.pop_back();
      return;
    }
    if (o.next > 0) out += ", ";
    if (pairs) out += '(';
    if (!o.names.empty()) (out += o.names[o.next]) += '=';
    if (!o.dict) return begin((*o.items)[o.next++]);
    o.at_value = true;
    begin(o.dict->entries()[o.next].first);
  }

  std::vector<OpenContainer> open_;
};

}  // namespace
}  // namespace value

std::string Value::type_name() const {
  switch (kind()) {
    case Kind::none: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer:
    case Kind::big_integer: return "int";
    case Kind::floating: return "float";
    case Kind::complex: return "complex";
    case Kind::string: return "str";
    case Kind::bytes: return "bytes";
    case Kind::tensor: return is_parameter() ? "Parameter" : "Tensor";
    case Kind::list: return "list";
    case Kind::tuple: {
      const Ref<value::TupleClass>& named = body<value::ItemsPayload>().tuple_class;
      return named ? value::last_component(named->name) : "tuple";
    }
    case Kind::set: return "set";
    case Kind::dict:
      return as_dict().class_name().empty() ? "dict"
                                            : value::last_component(as_dict().class_name());
    case Kind::size: return "Size";
    case Kind::dtype: return "dtype";
    case Kind::device: return "device";
    case Kind::global: return "type";
    case Kind::module: return as_module().type_name();
    case Kind::opaque:
      return as_opaque().callable.is_none() ? "object"
                                            : std::string(as_opaque().callable.as_global().second);
    case Kind::missing: break;
  }
  return "object";
}

std::string Value::class_text() const {
  std::string module;
  switch (kind()) {
    case Kind::tensor: module = is_parameter() ? "torch.nn.parameter." : "torch."; break;
    case Kind::size:
    case Kind::dtype:
    case Kind::device: module = "torch."; break;
    case Kind::dict:
      if (!as_dict().class_name().empty()) return "<class '" + as_dict().class_name() + "'>";
      break;
    case Kind::tuple:
      if (const auto& named = body<value::ItemsPayload>().tuple_class)
        return "<class '" + named->name + "'>";
      break;
    case Kind::opaque:
      if (!as_opaque().callable.is_none())
        module = std::string(as_opaque().callable.as_global().first) + ".";
      break;
    default: break;
  }
  return "<class '" + module + type_name() + "'>";
}

std::string Value::repr() const {
  value::Printer p;
  p.print(*this);
  return std::move(p.out);
}

std::string Value::str() const {
  if (is_string()) return as_string();
  if (kind() == Kind::device) return as_device().str();
  return repr();
}

std::ostream& operator<<(std::ostream& out, const Value& v) { return out << v.str(); }

}  // namespace taper
