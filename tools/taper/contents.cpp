#include "contents.h"

#include <algorithm>
#include <unordered_set>

#include "core/strided.h"
#include "core/tensor_impl.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/pickled_module.h"
#include "value_parts.h"

namespace taper::cli {

using taper::Tensor;
using taper::Value;
using Kind = Value::Kind;

namespace {

constexpr std::size_t kMaxVisited =
    1'000'000;                              // number of values; typical checkpoints have thousands
constexpr std::size_t kMaxPathLength = 64;  // number of keys

/// Returns the bytes of the elements as a view of shape (..., bytes per element). Returns the bytes
/// of the whole storage if elements are not whole bytes or exceed the storage.
Tensor as_byte_tensor(const taper::ForeignTensor& t) {
  const std::int64_t size = t.item_bits / 8;
  if (size == 0 || t.item_bits % 8 || t.shape.numel() == 0 || t.offset < 0) return t.bytes;
  taper::Shape shape = t.shape, strides = t.strides;
  const auto extent = taper::storage_extent(shape, strides, t.offset);
  if (!extent || *extent > t.bytes.numel() / size) return t.bytes;
  for (std::int64_t& s : strides) s *= size;
  shape.push_back(size), strides.push_back(1);
  return Tensor(taper::Ref<taper::TensorImpl>::adopt(
      new taper::TensorImpl(t.bytes.impl()->storage, shape, strides,
                            t.bytes.storage_offset() + t.offset * size, taper::uint8)));
}

struct Frame {
  const void* identity;
  std::vector<std::pair<std::string, Value>> items;
  std::size_t next_item = 0;
};

const void* identity_of(const Value& v) {
  if (v.is_dict()) return &v.as_dict();
  if (v.is_list()) return &v.as_list();
  if (v.kind() == Kind::opaque) return &v.as_opaque();
  return nullptr;
}

class ContentsCollector {
 public:
  Contents found;

  void run(const Value& root) {
    found.type = root.type_name();
    visit(root);
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      if (f.next_item == f.items.size() || !found.complete) {
        if (f.identity) active_identities_.erase(f.identity);
        frames_.pop_back();
        if (!path_.empty()) path_.pop_back();
        continue;
      }
      auto& [key, v] = f.items[f.next_item++];
      path_.push_back(key);
      const Value value = v;  // a copy, because visit() may reallocate frames_
      if (!visit(value)) path_.pop_back();
    }
  }

 private:
  std::string name() const {
    std::string text;
    const std::size_t num_keys = std::min(path_.size(), kMaxPathLength);
    for (std::size_t i = 0; i < num_keys; ++i) text += (i ? "." : "") + path_[i];
    return num_keys < path_.size() ? text + ".…" : text;
  }

  /// Returns true if a frame was pushed for the items of the value.
  bool visit(const Value& v) {
    if (++visited_ > kMaxVisited) found.complete = false;
    if (!found.complete) return false;
    if (v.is_tensor()) {
      add_tensor(v);
    } else if (const auto foreign = taper::foreign_tensor(v)) {
      add_foreign(*foreign);
    } else if (v.kind() == Kind::global) {
      found.opaques.push_back({name(), name_of(v)});
    } else if (has_children(v)) {
      return push_frame(v);
    } else {
      found.others.push_back({name(), v});
    }
    return false;
  }

  bool push_frame(const Value& v) {
    const void* const identity = identity_of(v);
    if (identity && !active_identities_.insert(identity).second) return false;  // a reference cycle
    Frame frame{identity, {}};
    if (auto module = taper::pickled_module(v)) {
      frame.items = child_values(*module);
      found.modules.push_back({name(), module->class_name, arguments_of(*module), module->training,
                               std::move(module->hooks), std::move(module->hook_names)});
    } else if (v.kind() == Kind::opaque) {
      found.opaques.push_back({name(), name_of(v.as_opaque().callable)});
      frame.items = child_values(v.as_opaque());
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

  TensorItem make_tensor_item() const {
    TensorItem item;
    item.name = name();
    item.path.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(
                                                        std::min(path_.size(), kMaxPathLength)));
    return item;
  }

  void add_foreign(const taper::ForeignTensor& t) {
    TensorItem item = make_tensor_item();
    item.tensor = as_byte_tensor(t);
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
    TensorItem item = make_tensor_item();
    item.tensor = t;
    item.dtype = taper::name_of(t.dtype());
    item.shape = t.shape();
    item.bytes = static_cast<std::uint64_t>(t.numel()) * taper::size_of(t.dtype());
    item.parameter = v.is_parameter();
    found.tensors.push_back(std::move(item));
  }

  std::vector<Frame> frames_;
  std::vector<std::string> path_;
  std::unordered_set<const void*> active_identities_;
  std::size_t visited_ = 0;
};

}  // namespace

Contents contents_of(const Value& value) {
  ContentsCollector collector;
  collector.run(value);
  if (value.is_dict())
    if (const Value* metadata = value.as_dict().attribute("__metadata__"))
      for (const auto& [key, v] : metadata->as_dict())
        collector.found.metadata.emplace_back(key_text(key),
                                              v.is_string() ? v.as_string() : v.repr());
  find_shared(collector.found.tensors);
  return std::move(collector.found);
}

}  // namespace taper::cli
