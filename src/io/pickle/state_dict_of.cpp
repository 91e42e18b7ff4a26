// State dicts of pickled modules.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/check.h"
#include "io/pickle/cycles.h"
#include "io/pickle/values.h"
#include "io/text.h"
#include "taper/io/pickled_module.h"

namespace taper {
namespace {

constexpr std::size_t kMaxNameLength = std::size_t{64} << 20;

/// Returns the state dict version of a module: the integer `_version` in its pickled state,
/// otherwise 2 for batch and instance normalization and 1 for other classes.
std::int64_t version_of(const PickledModule& m, const Value& state) {
  const Value* const own = state.is_dict() ? state.as_dict().find("_version") : nullptr;
  if (own && own->is_int()) return own->as_int();
  const bool norm = m.class_name.starts_with("torch.nn.modules.batchnorm.") ||
                    m.class_name.starts_with("torch.nn.modules.instancenorm.");
  return norm ? 2 : 1;
}

/// Returns the state dict entry of a parameter or buffer: the tensor, detached. A tensor of an
/// unsupported kind remains the opaque call that rebuilds it.
Value data_of(const Value& tensor) {
  if (tensor.is_tensor()) return tensor.as_tensor().detach();
  if (tensor.kind() != Value::Kind::opaque) return tensor;
  const Opaque& o = tensor.as_opaque();
  const bool parameter =
      o.callable == Value::global("torch._utils", "_rebuild_parameter") ||
      o.callable == Value::global("torch._utils", "_rebuild_parameter_with_state");
  return parameter && o.arguments.is_tuple() && o.arguments.size() > 0 ? o.arguments.as_tuple()[0]
                                                                       : tensor;
}

/// Resolves placeholders. The first lookup walks the whole value to index the objects.
class PlaceholderResolver {
 public:
  explicit PlaceholderResolver(Value whole) : whole_(std::move(whole)) {}
  /// Returns the object that a placeholder refers to. Returns `v` if it is not a placeholder or its
  /// object is absent.
  Value by(const Value& v) {
    const Values* const known_by =
        v.kind() == Value::Kind::opaque ? io::placeholder_target(v.as_opaque()) : nullptr;
    if (!known_by) return v;
    if (objects_.empty()) index_objects();
    const auto found = objects_.find(known_by);
    return found == objects_.end() ? v : found->second;
  }

 private:
  void index_objects() {
    std::unordered_set<const void*> seen;
    Values todo = {whole_};
    while (!todo.empty()) {
      const Value v = std::move(todo.back());
      todo.pop_back();
      if (!io::identity(v) || !seen.insert(io::identity(v)).second) continue;
      if (v.kind() == Value::Kind::opaque && v.as_opaque().arguments.is_tuple())
        objects_.try_emplace(&v.as_opaque().arguments.as_tuple(), v);
      for (std::size_t i = 0; const Value* const part = io::nth_child(v, i); ++i)
        todo.push_back(*part);
    }
  }

  Value whole_;
  std::unordered_map<const Values*, Value> objects_;
};

/// Extracts the state dict of a module and its descendants, depth first and without recursion.
class StateDictExtractor {
 public:
  explicit StateDictExtractor(PlaceholderResolver& resolver) : resolver_(resolver) {}
  Value read(const Value& root) {
    result_.as_dict().set_attribute("_metadata", metadata_);
    pending_.push_back({root, ""});
    while (!pending_.empty()) {
      const Step step = std::move(pending_.back());
      pending_.pop_back();
      add(step);
    }
    return result_;
  }

 private:
  struct Step {
    Value module;
    std::string prefix;
  };

  /// Returns prefix + name. Throws ValueError if the total length of all results exceeds 64 MB: in
  /// deeply nested modules, it can exceed the file size by far.
  std::string joined(const std::string& prefix, const std::string& name) {
    name_length_ += prefix.size() + name.size();
    if (name_length_ > kMaxNameLength)
      fail<ValueError>("state_dict_of: names of nested modules and tensors exceed 64 MB in total");
    return prefix + name;
  }

  void add(const Step& step) {
    const std::optional<PickledModule> m = pickled_module(step.module);
    if (!m)
      fail<ValueError>("state_dict_of: child '{}' is not a module: got {}",
                       io::escape_for_message(step.prefix.substr(0, step.prefix.size() - 1)),
                       io::escape_for_message(step.module.type_name()));
    const std::int64_t version = version_of(*m, step.module.as_opaque().state);
    metadata_.as_dict().set(
        joined(step.prefix.substr(0, step.prefix.size() - !step.prefix.empty()), ""),
        Value::dict({{"version", version}}));
    for (const auto& [name, tensor] : m->parameters.as_dict()) add_tensor(step, name, tensor);
    for (const auto& [name, tensor] : m->buffers.as_dict())
      if (!std::binary_search(m->non_persistent.begin(), m->non_persistent.end(), name.as_string()))
        add_tensor(step, name, tensor);
    const auto& children = m->modules.as_dict().entries();
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      if (!child->second.is_none())
        pending_.push_back(
            {resolver_.by(child->second), joined(step.prefix, child->first.as_string() + ".")});
  }

  void add_tensor(const Step& step, const Value& name, const Value& tensor) {
    if (tensor.is_none()) return;
    result_.as_dict().set(joined(step.prefix, name.as_string()), data_of(tensor));
  }

  PlaceholderResolver& resolver_;
  Value result_ = Value::ordered_dict(), metadata_ = Value::ordered_dict();
  std::vector<Step> pending_;
  std::size_t name_length_ = 0;
};

/// Replaces the modules in a value by their state dicts. Visits each container once, from the
/// leaves up, without recursion.
class ModuleReplacer {
 public:
  explicit ModuleReplacer(const Value& root) : resolver_(root) {}
  Value of(const Value& root) {
    if (const Value* leaf = done(root)) return *leaf;
    while (!path_.empty()) step();
    return replacements_.at(io::identity(root));
  }

 private:
  struct Frame {
    Value value;
    Values parts;  // items, or values of the entries; those before `next` are replaced
    std::size_t next = 0;
    bool changed = false;
  };

  /// Returns the replacement of `v`; null if its frame was just pushed.
  const Value* done(const Value& v) {
    const bool is_container = v.is_list() || v.is_tuple() || v.is_dict();
    if (!is_container && v.kind() != Value::Kind::opaque) return &v;
    if (const auto found = replacements_.find(io::identity(v)); found != replacements_.end())
      return &found->second;
    if (!is_container)
      return &replacements_
                  .emplace(io::identity(v),
                           pickled_module(v) ? StateDictExtractor(resolver_).read(v) : v)
                  .first->second;
    Frame frame{v, {}};
    if (v.is_dict()) {
      for (const auto& [key, value] : v.as_dict()) frame.parts.push_back(value);
    } else {
      frame.parts = v.as_sequence();
    }
    replacements_.emplace(io::identity(v), v);  // a value that contains itself is left unchanged
    path_.push_back(std::move(frame));
    return nullptr;
  }

  void step() {
    Frame& f = path_.back();
    if (f.next == f.parts.size()) {
      if (f.changed) replacements_[io::identity(f.value)] = rebuild(f);
      return path_.pop_back();
    }
    const Value part = f.parts[f.next];
    const Value* const now = done(part);
    if (!now) return;  // resumed after the part is complete; f is dangling
    f.changed |= io::identity(*now) != io::identity(part);
    f.parts[f.next++] = *now;
  }

  static Value rebuild(Frame& f) {
    if (!f.value.is_dict()) return f.value.with_items(std::move(f.parts));
    const Value copy = f.value.as_dict().copy();
    std::size_t i = 0;
    for (const auto& [key, value] : f.value.as_dict()) copy.as_dict().set(key, f.parts[i++]);
    return copy;
  }

  PlaceholderResolver resolver_;
  std::unordered_map<const void*, Value> replacements_;
  std::vector<Frame> path_;
};

}  // namespace

Value state_dict_of(const Value& value) { return ModuleReplacer(value).of(value); }

}  // namespace taper
