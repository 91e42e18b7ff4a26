#include "io/pickle/cycles.h"

#include <unordered_map>
#include <vector>

#include "io/pickle/values.h"

namespace taper::io {
namespace {

/// Returns true for an object constructed without arguments, which a pickle can refer to before its
/// state is set.
bool can_have_placeholder(const Value& v) {
  if (v.kind() != Value::Kind::opaque) return false;
  const Opaque& o = v.as_opaque();
  return o.callable.kind() == Value::Kind::global && o.arguments.is_tuple() &&
         o.arguments.size() == 0;
}

/// Returns a placeholder for `object`. Replaces the empty arguments of the object by a new tuple,
/// whose identity is the link between the two.
Value make_placeholder(const Value& object) {
  Opaque& o = object.as_opaque();
  o.arguments = Value::tuple();
  Opaque s;
  s.callable = o.callable;
  s.is_new = o.is_new;
  s.arguments = Value();
  s.state = o.arguments;
  return Value::opaque(std::move(s));
}

class CycleBreaker {
 public:
  explicit CycleBreaker(const SharedFunction<void()>& count) : count_(count) {}

  /// Walks depth first with an explicit stack, entering shared values once. Returns false if a
  /// cycle cannot be broken.
  bool walk(const Value& root) {
    enter(root);
    while (!path_.empty()) {
      Frame& f = path_.back();
      const std::size_t i = f.next++;
      const Value* const part = nth_child(*f.value, i);
      if (!part) {
        on_path_.at(identity(*f.value)) = false;
        path_.pop_back();
      } else if (identity(*part) && !enter(*part)) {
        if (!can_have_placeholder(*part)) return false;
        replace_with_placeholder(*f.value, i, *part);
      }
    }
    for (const auto& [id, dict] : changed_dicts_) rebuild_index(dict);
    return true;
  }

 private:
  struct Frame {
    const Value* value;
    std::size_t next = 0;
  };

  /// Pushes `v` unless it was visited before. Returns false if `v` is on the current path.
  bool enter(const Value& v) {
    const auto [known, fresh] = on_path_.emplace(identity(v), true);
    if (fresh) path_.push_back({&v});
    return fresh || !known->second;
  }

  /// Replaces `part`, the i-th part of `holder`, by a placeholder. Modifies it in place: containers
  /// have reference semantics, and only the value being loaded refers to this one.
  void replace_with_placeholder(const Value& holder, std::size_t i, const Value& part) {
    Value& placeholder = placeholders_[identity(part)];
    if (placeholder.is_none()) {
      count_();
      placeholder = make_placeholder(part);
    }
    const bool is_key = holder.is_dict() && i % 2 == 0 && i < 2 * holder.as_dict().entries().size();
    if (is_key) changed_dicts_.try_emplace(identity(holder), holder);
    const_cast<Value&>(part) = placeholder;
  }

  static void rebuild_index(const Value& dict) {
    const std::vector<Dict::Entry> entries = dict.as_dict().entries();
    dict.as_dict().clear();
    for (const auto& [key, value] : entries) dict.as_dict().set(key, value);
  }

  const SharedFunction<void()>& count_;
  std::unordered_map<const void*, bool> on_path_;  // visited values; true if on the current path
  std::unordered_map<const void*, Value> placeholders_, changed_dicts_;
  std::vector<Frame> path_;
};

}  // namespace

bool break_cycles(const Value& root, const SharedFunction<void()>& count) {
  return !identity(root) || CycleBreaker(count).walk(root);
}

const Values* placeholder_target(const Opaque& o) {
  const bool is = o.callable.kind() == Value::Kind::global && o.arguments.is_none() &&
                  o.state.is_tuple() && o.state.size() == 0 && o.items.empty() && o.entries.empty();
  return is ? &o.state.as_tuple() : nullptr;
}

}  // namespace taper::io
