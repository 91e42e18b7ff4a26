// Values as Python prints them.
#include <ostream>

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

std::string last_part(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return std::string(dot == std::string_view::npos ? dotted : dotted.substr(dot + 1));
}

class Printer {
 public:
  std::string out;

  void print(const Value& v) {
    switch (v.kind()) {
      case K::none: out += "None"; break;
      case K::boolean: out += v.as_bool() ? "True" : "False"; break;
      case K::integer: out += std::to_string(v.as_int()); break;
      case K::big_integer: out += v.as_string(); break;
      case K::floating: out += python_repr(v.as_double()); break;
      case K::complex: out += complex_text(v.as_complex()); break;
      case K::string: out += quoted(v.as_string()); break;
      case K::bytes: out += quoted(v.as_bytes(), true); break;
      case K::tensor:
        out += v.is_parameter() ? parameter_str(v.as_tensor()) : v.as_tensor().str();
        break;
      case K::list:
      case K::tuple:
      case K::set: sequence(v); break;
      case K::dict: dict(v.as_dict()); break;
      case K::size: out += "torch.Size(" + v.as_size().str() + ")"; break;
      case K::dtype: (out += "torch.") += name_of(v.as_dtype()); break;
      case K::device: device(v.as_device()); break;
      case K::global: out += class_of(v); break;
      case K::module: out += v.as_module().str(); break;
      case K::opaque:
        out +=
            "<" + last_part(v.as_opaque().callable.is_none() ? "unknown" : dotted(v)) + " object>";
        break;
      case K::missing: break;
    }
  }

 private:
  static std::string dotted(const Value& opaque) {
    const auto [module, name] = opaque.as_opaque().callable.as_global();
    return std::string(module) + "." + std::string(name);
  }
  static std::string class_of(const Value& global) {
    const auto [module, name] = global.as_global();
    return "<class '" + (module.empty() ? "" : std::string(module) + ".") + std::string(name) +
           "'>";
  }
  // Python leaves ".0" away inside complex numbers.
  static std::string part(double v) {
    std::string s = python_repr(v);
    if (s.size() > 2 && s.compare(s.size() - 2, 2, ".0") == 0) s.resize(s.size() - 2);
    return s;
  }
  static std::string complex_text(Complex c) {
    const std::string imag = part(c.imag);
    if (c.real == 0 && python_repr(c.real) == "0.0") return imag + "j";
    return "(" + part(c.real) + (imag[0] == '-' ? "" : "+") + imag + "j)";
  }
  void device(Device d) {
    ((out += "device(type='") += d.type()) += "'";
    if (!d.is_cpu() && !d.is_meta()) out += ", index=" + std::to_string(d.index());
    out += ")";
  }
  // True, and remembered until leave(), unless this container is being printed already.
  bool enter(const void* body) {
    for (const void* open : open_)
      if (open == body) return false;
    if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) throw_too_deep("printing");
    open_.push_back(body);
    return true;
  }
  void leave() { open_.pop_back(); }

  void sequence(const Value& v) {
    const Values& items = v.as_sequence();
    const bool list = v.is_list(), set = v.is_set();
    if (set && items.empty()) {
      out += "set()";
      return;
    }
    if (!enter(&items)) {
      out += list ? "[...]" : "(...)";
      return;
    }
    out += list ? '[' : set ? '{' : '(';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i) out += ", ";
      print(items[i]);
    }
    if (v.is_tuple() && items.size() == 1) out += ',';
    out += list ? ']' : set ? '}' : ')';
    leave();
  }

  void dict(const Dict& d) {
    const std::string name = last_part(d.class_name());
    if (!enter(&d)) {
      out += name.empty() ? "{...}" : "...";
      return;
    }
    const bool pairs = name == "OrderedDict";
    if (!name.empty()) out += name + "(";
    if (name.empty() || !d.empty()) {
      out += pairs ? '[' : '{';
      bool first = true;
      for (const auto& [key, v] : d) {
        if (!std::exchange(first, false)) out += ", ";
        if (pairs) out += '(';
        print(key);
        out += pairs ? ", " : ": ";
        print(v);
        if (pairs) out += ')';
      }
      out += pairs ? ']' : '}';
    }
    if (!name.empty()) out += ")";
    leave();
  }

  std::vector<const void*> open_;
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
    case Kind::tuple: return "tuple";
    case Kind::set: return "set";
    case Kind::dict:
      return as_dict().class_name().empty() ? "dict" : value::last_part(as_dict().class_name());
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
