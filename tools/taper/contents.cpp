#include "contents.h"

#include <fmt/format.h>
#include <algorithm>

#include <unordered_set>

#include "core/tensor_impl.h"
#include "elements.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/pickled_module.h"
#include "words.h"

namespace command {

using taper::Tensor;
using taper::Value;
using Kind = Value::Kind;

namespace {

constexpr std::size_t kMostVisited = 1'000'000;  // values; real checkpoints have thousands
constexpr std::size_t kLongestPath = 64;         // keys

bool is_sequence(const Value& v) { return v.is_list() || v.is_tuple() || v.is_set(); }

bool is_plain(const Value& v) {
  switch (v.kind()) {
    case Kind::tensor:
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dict:
    case Kind::opaque:
    case Kind::global:
    case Kind::module: return false;
    default: return true;
  }
}

/// Whether the items are worth a line each.
bool is_walked(const Value& v) {
  if (v.kind() == Kind::opaque) return true;
  if (v.is_dict()) return v.size() > 0;
  if (!is_sequence(v)) return false;
  const auto& items = v.as_sequence();
  return !std::all_of(items.begin(), items.end(), is_plain);
}

std::string key_text(const Value& key) {
  return key.is_string() ? key.as_string() : is_plain(key) ? key.repr() : key.type_name();
}

std::string name_of(const Value& global) {
  if (global.kind() != Kind::global) return global.type_name();
  const auto [module, name] = global.as_global();
  return std::string(module) + "." + std::string(name);
}

/// The parts of an opaque object, each by a name of its own.
std::vector<std::pair<std::string, Value>> parts_of(const taper::Opaque& o) {
  std::vector<std::pair<std::string, Value>> parts;
  if (o.arguments.is_tuple())
    for (std::size_t i = 0; i < o.arguments.size(); ++i)
      parts.emplace_back("<argument " + std::to_string(i) + ">", o.arguments.as_tuple()[i]);
  if (o.state.is_dict())
    for (const auto& [key, v] : o.state.as_dict()) parts.emplace_back(key_text(key), v);
  else if (!o.state.is_none())
    parts.emplace_back("<state>", o.state);
  for (std::size_t i = 0; i < o.items.size(); ++i)
    parts.emplace_back(std::to_string(i), o.items[i]);
  for (const auto& [key, v] : o.entries) parts.emplace_back(key_text(key), v);
  return parts;
}

/// Parameters, buffers and children, and those attributes that are worth a look.
std::vector<std::pair<std::string, Value>> parts_of(const taper::PickledModule& m) {
  std::vector<std::pair<std::string, Value>> parts;
  for (const Value* table : {&m.parameters, &m.buffers, &m.modules})
    for (const auto& [key, v] : table->as_dict())
      if (!v.is_none()) parts.emplace_back(key_text(key), v);
  for (const auto& [key, v] : m.attributes.as_dict())
    if (!is_plain(v) && is_walked(v)) parts.emplace_back(key_text(key), v);
  return parts;
}

std::string arguments_of(const taper::PickledModule& m) {
  std::string text;
  for (const auto& [key, v] : m.attributes.as_dict())
    if (!v.is_none() && (is_plain(v) || !is_walked(v)))
      text += (text.empty() ? "" : ", ") + key_text(key) + "=" + brief(v);
  return text;
}

/// The bytes of the elements as a view (shape..., bytes of an element); of elements that are no
/// whole bytes, or lie outside, those of the storage.
Tensor bytes_of(const taper::ForeignTensor& t) {
  const std::int64_t size = t.item_bits / 8;
  if (size == 0 || t.item_bits % 8 || t.shape.numel() == 0 || t.offset < 0) return t.bytes;
  taper::Shape shape = t.shape, strides = t.strides;
  std::int64_t end = t.offset + 1;  // in elements
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t step = 0;
    if (strides[i] < 0 || __builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(end, step, &end))
      return t.bytes;
  }
  if (end > t.bytes.numel() / size) return t.bytes;
  for (std::int64_t& s : strides) s *= size;
  shape.push_back(size), strides.push_back(1);
  return Tensor(taper::Ref<taper::TensorImpl>::adopt(
      new taper::TensorImpl(t.bytes.impl()->storage, shape, strides,
                            t.bytes.storage_offset() + t.offset * size, taper::uint8)));
}

struct Frame {
  const void* identity;
  std::vector<std::pair<std::string, Value>> items;
  std::size_t next = 0;
};

const void* identity_of(const Value& v) {
  if (v.is_dict()) return &v.as_dict();
  if (v.is_list()) return &v.as_list();
  if (v.kind() == Kind::opaque) return &v.as_opaque();
  return nullptr;
}

class Walk {
 public:
  Contents found;

  void run(const Value& root) {
    found.type = root.type_name();
    visit(root);
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      if (f.next == f.items.size() || !found.complete) {
        if (f.identity) open_.erase(f.identity);
        frames_.pop_back();
        if (!path_.empty()) path_.pop_back();
        continue;
      }
      auto& [key, v] = f.items[f.next++];
      path_.push_back(key);
      const Value value = v;  // the frame may move
      if (!visit(value)) path_.pop_back();
    }
  }

 private:
  std::string name() const {
    std::string text;
    const std::size_t shown = std::min(path_.size(), kLongestPath);
    for (std::size_t i = 0; i < shown; ++i) text += (i ? "." : "") + path_[i];
    return shown < path_.size() ? text + ".…" : text;
  }

  /// Whether a frame was opened for what is in it.
  bool visit(const Value& v) {
    if (++visited_ > kMostVisited) found.complete = false;
    if (!found.complete) return false;
    if (v.is_tensor()) {
      add_tensor(v);
    } else if (const auto foreign = taper::foreign_tensor(v)) {
      add_foreign(*foreign);
    } else if (v.kind() == Kind::global) {
      found.opaques.push_back({name(), name_of(v)});
    } else if (is_walked(v)) {
      return open(v);
    } else {
      found.others.push_back({name(), v});
    }
    return false;
  }

  bool open(const Value& v) {
    const void* const identity = identity_of(v);
    if (identity && !open_.insert(identity).second) return false;  // inside of itself
    Frame frame{identity, {}};
    if (auto module = taper::pickled_module(v)) {
      frame.items = parts_of(*module);
      found.modules.push_back({name(), module->class_name, arguments_of(*module), module->training,
                               std::move(module->hooks), std::move(module->hook_names)});
    } else if (v.kind() == Kind::opaque) {
      found.opaques.push_back({name(), name_of(v.as_opaque().callable)});
      frame.items = parts_of(v.as_opaque());
    } else if (v.is_dict()) {
      for (const auto& [key, item] : v.as_dict()) frame.items.emplace_back(key_text(key), item);
    } else {
      const auto& items = v.as_sequence();
      for (std::size_t i = 0; i < items.size(); ++i)
        frame.items.emplace_back(std::to_string(i), items[i]);
    }
    frames_.push_back(std::move(frame));
    return true;
  }

  TensorItem named() const {
    TensorItem item;
    item.name = name();
    item.path.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(
                                                        std::min(path_.size(), kLongestPath)));
    return item;
  }

  void add_foreign(const taper::ForeignTensor& t) {
    TensorItem item = named();
    item.tensor = bytes_of(t);
    item.dtype = t.dtype;
    item.shape = t.shape;
    item.bytes =
        (static_cast<std::uint64_t>(t.shape.numel()) * static_cast<std::uint64_t>(t.item_bits) +
         7) /
        8;
    item.foreign = true;
    found.tensors.push_back(std::move(item));
  }

  void add_tensor(const Value& v) {
    const Tensor& t = v.as_tensor();
    TensorItem item = named();
    item.tensor = t;
    item.dtype = taper::name_of(t.dtype());
    item.shape = t.shape();
    item.bytes = static_cast<std::uint64_t>(t.numel()) * taper::size_of(t.dtype());
    item.parameter = v.is_parameter();
    found.tensors.push_back(std::move(item));
  }

  std::vector<Frame> frames_;
  std::vector<std::string> path_;
  std::unordered_set<const void*> open_;
  std::size_t visited_ = 0;
};

struct Range {
  const void* storage;
  std::uint64_t begin, end;
  std::size_t item;
};

void find_shared(std::vector<TensorItem>& tensors) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i].tensor;
    if (!has_elements(t) || t.numel() == 0) continue;
    const std::uint64_t begin =
        static_cast<std::uint64_t>(t.storage_offset()) * taper::size_of(t.dtype());
    ranges.push_back({t.impl()->storage.get(), begin, begin + extent_of(t), i});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return a.storage != b.storage ? std::less<>()(a.storage, b.storage)
                                  : std::pair(a.begin, a.item) < std::pair(b.begin, b.item);
  });
  for (std::size_t i = 0; i < ranges.size();) {
    std::size_t end = i + 1, first = ranges[i].item;
    std::uint64_t reach = ranges[i].end;
    for (; end < ranges.size() && ranges[end].storage == ranges[i].storage &&
           ranges[end].begin < reach;
         ++end) {
      reach = std::max(reach, ranges[end].end);
      first = std::min(first, ranges[end].item);
    }
    for (; i < end; ++i)
      if (ranges[i].item != first) tensors[ranges[i].item].shares_with = first;
  }
}

}  // namespace

std::uint64_t extent_of(const Tensor& t) {
  if (t.numel() == 0) return 0;
  std::uint64_t last = 0;
  for (std::int64_t i = 0; i < t.dim(); ++i)
    last += static_cast<std::uint64_t>((t.size(i) - 1) * t.stride(i));
  return (last + 1) * taper::size_of(t.dtype());
}

Contents contents_of(const Value& value) {
  Walk walk;
  walk.run(value);
  if (value.is_dict())
    if (const Value* metadata = value.as_dict().attribute("__metadata__"))
      for (const auto& [key, v] : metadata->as_dict())
        walk.found.metadata.emplace_back(key_text(key), v.is_string() ? v.as_string() : v.repr());
  find_shared(walk.found.tensors);
  return std::move(walk.found);
}

std::string brief(const Value& v) {
  constexpr std::size_t kMostText = 60, kMostItems = 20;
  switch (v.kind()) {
    case Kind::string: {
      const std::string text = printable(v.as_string(), kMostText);
      return "'" + text + "'";
    }
    case Kind::bytes: return counted(v.size(), "byte");
    case Kind::big_integer: return printable(v.as_string(), kMostText);
    case Kind::list:
    case Kind::tuple:
    case Kind::set: {
      const auto& items = v.as_sequence();
      std::string text;
      std::size_t n = 0;
      for (; n < std::min(items.size(), kMostItems) && text.size() < kMostText; ++n)
        text += (n ? ", " : "") + (is_plain(items[n]) ? brief(items[n]) : items[n].type_name());
      if (items.size() > n) text += fmt::format(", … {} items", with_commas(items.size()));
      return v.is_list() ? "[" + text + "]" : v.is_tuple() ? "(" + text + ")" : "{" + text + "}";
    }
    case Kind::dict: return v.size() ? with_commas(v.size()) + " entries" : "{}";
    default: return is_plain(v) ? printable(v.repr(), kMostText) : v.type_name();
  }
}

namespace {

/// The value under one key of a container; none if it has none.
const Value* child(const Value& v, const std::string& key, Value& kept) {
  if (v.is_dict()) {
    if (const Value* found = v.find(key)) return found;
    for (const auto& [k, item] : v.as_dict())
      if (!k.is_string() && key_text(k) == key) return &item;
  } else if (is_sequence(v)) {
    const auto& items = v.as_sequence();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (std::to_string(i) == key) return &items[i];
  } else if (v.kind() == Kind::opaque) {
    for (auto& [name, part] : parts_of(v.as_opaque()))
      if (name == key) {
        kept = part;
        return &kept;
      }
  }
  return nullptr;
}

std::string keys_text(const Value& v) {
  std::string text;
  std::size_t shown = 0;
  if (v.is_dict())
    for (const auto& [key, item] : v.as_dict()) {
      if (++shown > 8) return text + ", …";
      text += (text.empty() ? "" : ", ") + printable(key_text(key), 60);
    }
  return text.empty() ? "nothing below it" : text;
}

}  // namespace

Value part_of(const Value& value, const std::string& path) {
  Value at = value, kept;
  std::string_view left = path;
  while (!left.empty()) {
    // The shortest key that leads on, for a key may have dots.
    std::size_t end = left.find('.');
    for (;; end = left.find('.', end + 1)) {
      const std::string key(left.substr(0, end));
      if (const Value* found = child(at, key, kept)) {
        at = Value(*found);
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        break;
      }
      if (end == std::string_view::npos)
        throw taper::KeyError("there is no '" + printable(left) + "' in it, only " + keys_text(at));
    }
  }
  return at;
}

namespace {

bool is_state_dict(const Value& v) {
  if (!v.is_dict() || v.size() == 0) return false;
  std::size_t tensors = 0;
  for (const auto& [key, item] : v.as_dict()) {
    if (!key.is_string()) return false;
    tensors += item.is_tensor() || taper::foreign_tensor(item);
  }
  return tensors > 0 && 2 * tensors >= v.size();
}

}  // namespace

std::vector<std::string> state_dicts_in(const Value& value) {
  if (is_state_dict(value)) return {""};
  std::vector<std::pair<std::uint64_t, std::string>> found;
  const auto look = [&](const Value& v, const std::string& prefix) {
    if (!v.is_dict()) return;
    for (const auto& [key, item] : v.as_dict()) {
      if (!key.is_string() || !is_state_dict(item)) continue;
      std::uint64_t elements = 0;
      for (const auto& [name, t] : item.as_dict())
        if (t.is_tensor()) elements += static_cast<std::uint64_t>(t.as_tensor().numel());
      found.emplace_back(elements, prefix + key.as_string());
    }
  };
  look(value, "");
  if (value.is_dict())
    for (const auto& [key, item] : value.as_dict())
      if (key.is_string()) look(item, key.as_string() + ".");
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> paths;
  for (auto& [elements, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace command
