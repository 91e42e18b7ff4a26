#include "io/pickle_writer.h"

#include <bit>
#include <cstring>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/storage_class.h"

namespace taper::io {

struct PickleWriter::Step {
  enum class Kind { value, text } kind;
  Value value{};
  std::string text{};  // opcodes to write when it is its turn
};

namespace {
constexpr std::size_t kBatch = 1000;
void little(std::string& out, std::uint64_t v, int n) {
  for (int i = 0; i < n; ++i) out += static_cast<char>(v >> (8 * i) & 0xff);
}
}  // namespace

void PickleWriter::put_int(std::int64_t v) {
  if (v >= 0 && v < 256)
    op('K'), little(out_, static_cast<std::uint64_t>(v), 1);
  else if (v >= 0 && v < 65536)
    op('M'), little(out_, static_cast<std::uint64_t>(v), 2);
  else if (v >= INT32_MIN && v <= INT32_MAX)
    op('J'), little(out_, static_cast<std::uint64_t>(v), 4);
  else
    out_ += "\x8a\x08", little(out_, static_cast<std::uint64_t>(v), 8);
}

void PickleWriter::put_float(double v) {
  op('G');
  const auto bits = std::bit_cast<std::uint64_t>(v);
  for (int i = 7; i >= 0; --i) out_ += static_cast<char>(bits >> (8 * i) & 0xff);
}

void PickleWriter::put_text(std::string_view s) {
  op('X');
  little(out_, s.size(), 4);
  out_ += s;
}

void PickleWriter::put_global(std::string_view module, std::string_view name) {
  op('c');
  out_ += std::string(module) + '\n' + std::string(name) + '\n';
}

bool PickleWriter::recall(const void* identity) {
  const auto found = memo_.find(identity);
  if (found == memo_.end()) return false;
  op('j');
  little(out_, found->second, 4);
  return true;
}

void PickleWriter::remember(const void* identity) {
  const auto index = static_cast<std::uint32_t>(memo_.size());
  memo_.emplace(identity, index);
  op('r');
  little(out_, index, 4);
}

void PickleWriter::put_size(const Shape& s) {
  if (s.empty()) return op(')');
  if (s.size() > 3) op('(');
  for (std::int64_t d : s) put_int(d);
  op(s.size() == 1 ? '\x85' : s.size() == 2 ? '\x86' : s.size() == 3 ? '\x87' : 't');
}

void PickleWriter::put_tensor(const Value& v) {
  Tensor t = v.as_tensor();
  const bool requires_grad = t.requires_grad();
  if (!t.device().is_cpu()) t = t.detach().cpu();
  const TensorImpl& body = impl(t);
  if (recall(&body)) return;
  const auto [key, fresh] = keys_.try_emplace(body.storage.get(), storages_.size());
  if (fresh)
    storages_.push_back(t);
  else if (storages_[key->second].dtype() != t.dtype())
    fail<RuntimeError>(
        "save: Cannot save multiple tensors or storages that view the same data as different "
        "types: "
        "{} and {}",
        storages_[key->second].dtype(), t.dtype());
  if (v.is_parameter()) {
    put_global("torch._utils", "_rebuild_parameter");
    op('(');
  }
  put_global("torch._utils", "_rebuild_tensor_v2");
  op('('), op('(');
  put_text("storage");
  put_global("torch", storage_class(t.dtype()));
  put_text(std::to_string(key->second));
  put_text("cpu");
  put_int(static_cast<std::int64_t>(body.storage->bytes() / size_of(t.dtype())));
  op('t'), op('Q');
  put_int(body.offset);
  put_size(body.shape);
  put_size(body.strides);
  op(requires_grad && !v.is_parameter() ? '\x88' : '\x89');
  const auto no_hooks = [&] { put_global("collections", "OrderedDict"), out_ += ")R"; };
  no_hooks();
  op('t'), op('R');
  if (v.is_parameter()) {
    op(requires_grad ? '\x88' : '\x89');
    no_hooks();
    op('t'), op('R');
  }
  remember(&body);
  kept_.emplace_back(t);
}

void PickleWriter::put(const Value& v, std::vector<Step>& todo) {
  using Kind = Value::Kind;
  // Steps are taken from the back: what comes first is pushed last.
  std::vector<Step> steps;
  const auto text = [&](std::string s) { steps.push_back({Step::Kind::text, {}, std::move(s)}); };
  const auto value = [&](const Value& x) { steps.push_back({Step::Kind::value, x, {}}); };
  const auto batches = [&](std::size_t count, const char* close, const auto& each) {
    for (std::size_t b = 0; b < count; b += kBatch) {
      text("(");
      for (std::size_t i = b; i < std::min(count, b + kBatch); ++i) each(i);
      text(close);
    }
  };
  switch (v.kind()) {
    case Kind::none: op('N'); break;
    case Kind::boolean: op(v.as_bool() ? '\x88' : '\x89'); break;
    case Kind::integer: put_int(v.as_int()); break;
    case Kind::floating: put_float(v.as_double()); break;
    case Kind::string: put_text(v.as_string()); break;
    case Kind::tensor: put_tensor(v); break;
    case Kind::dtype: put_global("torch", name_of(v.as_dtype())); break;
    case Kind::size:
      put_global("torch", "Size");
      put_size(v.as_size());
      op('\x85'), op('R');
      break;
    case Kind::device: {
      const Device d = v.as_device();
      put_global("torch", "device");
      put_text(d.type());
      if (!d.is_cpu() && !d.is_meta())
        put_int(d.index()), op('\x86');
      else
        op('\x85');
      op('R');
      break;
    }
    case Kind::complex: {
      const Complex c = v.as_complex();
      put_global("__builtin__", "complex");
      put_float(c.real), put_float(c.imag);
      op('\x86'), op('R');
      break;
    }
    case Kind::bytes: {
      // Protocol 2 has no bytes: text whose characters are the bytes, encoded as latin-1.
      put_global("_codecs", "encode");
      std::string utf8;
      for (const char ch : v.as_bytes()) {
        const auto c = static_cast<unsigned char>(ch);
        if (c < 0x80)
          utf8 += ch;
        else
          utf8 += static_cast<char>(0xc0 | c >> 6), utf8 += static_cast<char>(0x80 | (c & 0x3f));
      }
      put_text(utf8), put_text("latin1");
      op('\x86'), op('R');
      break;
    }
    case Kind::global: {
      const auto [module, name] = v.as_global();
      put_global(module, name);
      break;
    }
    case Kind::tuple: {
      if (v.as_tuple().empty()) {
        op(')');
        break;
      }
      op('(');
      for (const Value& x : v.as_tuple()) value(x);
      text("t");
      break;
    }
    case Kind::list: {
      const Values& items = v.as_list();
      if (recall(&items)) break;
      op(']');
      remember(&items), kept_.push_back(v);
      batches(items.size(), "e", [&](std::size_t i) { value(items[i]); });
      break;
    }
    case Kind::set: {
      put_global("__builtin__", "set");
      op('('), op(']');
      batches(v.as_sequence().size(), "e", [&](std::size_t i) { value(v.as_sequence()[i]); });
      text("tR");
      break;
    }
    case Kind::dict: {
      const Dict& d = v.as_dict();
      if (recall(&d)) break;
      if (d.class_name() == "collections.OrderedDict" || d.class_name() == "OrderedDict")
        put_global("collections", "OrderedDict"), out_ += ")R";
      else
        op('}');
      remember(&d), kept_.push_back(v);
      batches(d.size(), "u",
              [&](std::size_t i) { value(d.entries()[i].first), value(d.entries()[i].second); });
      if (d.attributes().is_dict() && d.attributes().size() > 0 && !d.class_name().empty()) {
        value(d.attributes());
        text("b");
      }
      break;
    }
    default:
      fail<TypeError>("save: cannot write a value of type {}: {}", v.type_name(),
                      v.repr().substr(0, 200));
  }
  todo.insert(todo.end(), std::make_move_iterator(steps.rbegin()),
              std::make_move_iterator(steps.rend()));
}

std::string PickleWriter::write(const Value& value) {
  out_ = "\x80\x02";
  std::vector<Step> todo;
  todo.push_back({Step::Kind::value, value, {}});
  while (!todo.empty()) {
    const Step s = std::move(todo.back());
    todo.pop_back();
    if (s.kind == Step::Kind::text)
      out_ += s.text;
    else
      put(s.value, todo);
  }
  op('.');
  return std::move(out_);
}

}  // namespace taper::io
