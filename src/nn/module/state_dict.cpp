// Saving of module state.
#include "taper/nn/state_dict.h"

#include <ostream>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "nn/module/tree.h"

namespace taper::nn {
namespace {

constexpr std::string_view kMetadata = "_metadata", kExtraState = "_extra_state";

/// Runs the post-hooks. Returns `destination`, or the result of a hook whose return value replaces
/// it.
Value run_post_hooks(Module& m, const HookEntries<StateDictHook>& hooks, Value destination,
                     std::string_view prefix, const Value& metadata) {
  for (const HookEntry<StateDictHook>& hook : *hooks) {
    Value returned = hook.call(m, destination, prefix, metadata);
    if (returned.is_none()) continue;
    if (!hook.replaces) fail<RuntimeError>("state_dict post-hook must return None");
    destination = std::move(returned);
  }
  return destination;
}

/// Returns the metadata of one module as a new dict, as in Python.
Value local_metadata(const Module& m) {
  static const NeverDestroyed<Value> version("version");
  Value metadata = Value::dict();
  metadata.as_dict().set(*version, m.version());
  return metadata;
}

/// Saves a module and its descendants. Returns `destination`, or the value with which a hook of
/// this module replaces it.
Value save_module(Module& m, const Value& destination, std::string& prefix, bool keep_vars) {
  const RecursionGuard guard(m, "state_dict");
  const std::shared_ptr<HookTable> hooks = ModuleAccess::hooks(m);
  Dict& dict = destination.as_dict();
  const Value* all = dict.attribute(kMetadata);
  Value metadata;
  if (all || hooks) metadata = local_metadata(m);
  if (all) {
    const std::string_view key(prefix.data(), prefix.empty() ? 0 : prefix.size() - 1);
    all->as_dict().set(key, metadata);
  }
  if (hooks && hooks->state_dict_pre)
    for (const auto list = hooks->state_dict_pre; const auto& hook : *list)
      hook.call(m, prefix, keep_vars);
  SaveState state{dict, prefix, keep_vars};
  m.save_to_state_dict(state);
  struct ChildSaver final : MemberVisitor {
    const Value& destination;
    std::string& prefix;
    bool keep_vars;
    ChildSaver(const Value& d, std::string& p, bool keep)
        : destination(d), prefix(p), keep_vars(keep) {}
    void child(const ChildSlot& s) override {
      if (!s.module) return;
      const std::size_t length = prefix.size();
      (prefix += s.name) += '.';
      (void)save_module(*s.module, destination, prefix, keep_vars);
      prefix.resize(length);
    }
  } children(destination, prefix, keep_vars);
  ModuleAccess::accept(m, children);
  if (!hooks || !hooks->state_dict) return destination;
  return run_post_hooks(m, HookEntries<StateDictHook>(hooks->state_dict), destination, prefix,
                        metadata);
}

/// Returns an empty state dict with capacity for the entries of a module and its descendants.
Value new_state_dict(const Module& root) {
  struct EntryCounter final : MemberVisitor {
    std::size_t modules = 0, tensors = 0;
    void parameter(const ParameterSlot&) override { ++tensors; }
    void buffer(const BufferSlot&) override { ++tensors; }
  } count;
  const NamedOptions each_once;
  ModuleTraversal(each_once, false)
      .descend(detail::mutable_of(root), [&](Module& m, std::string_view) {
        ++count.modules;
        ModuleAccess::accept(m, count);
      });
  Value metadata = Value::ordered_dict(), state = Value::ordered_dict();
  metadata.as_dict().reserve(count.modules);
  state.as_dict().reserve(count.tensors);
  state.as_dict().set_attribute(kMetadata, std::move(metadata));
  return state;
}

}  // namespace

Value Module::state_dict(const StateDictOptions& options) const {
  const Value destination =
      options.destination.is_none() ? new_state_dict(*this) : options.destination;
  std::string prefix(options.prefix);
  return save_module(detail::mutable_of(*this), destination, prefix, options.keep_vars);
}

void Module::save_to_state_dict(SaveState& state) {
  struct EntrySaver final : MemberVisitor {
    SaveState& state;
    std::string key;
    bool buffers = false, has_buffers = false;  // all parameters are saved before all buffers
    explicit EntrySaver(SaveState& s) : state(s), key(s.prefix) {}
    void parameter(const ParameterSlot& s) override {
      if (s.value && !buffers)
        set(s.name, state.keep_vars ? Value::parameter(*s.value) : Value(detached(*s.value)));
    }
    void buffer(const BufferSlot& s) override {
      has_buffers = true;
      if (s.value && buffers && s.value->persistent)
        set(s.name, state.keep_vars ? Value(*s.value) : Value(detached(*s.value)));
    }
    static Tensor detached(const Tensor& t) { return is_lazy(t) ? t : t.detach(); }
    void set(std::string_view name, Value v) {
      key.resize(state.prefix.size());
      key += name;
      state.destination.set(key, std::move(v));
    }
  } own(state);
  accept(own);
  own.buffers = true;
  if (own.has_buffers) accept(own);
  if (class_info().gets_extra_state) own.set(kExtraState, get_extra_state());
}

Value Module::get_extra_state() {
  fail<RuntimeError>(
      "Reached a code path in Module.get_extra_state() that should never be called.");
}
void Module::set_extra_state(const Value&) {
  fail<RuntimeError>(
      "Reached a code path in Module.set_extra_state() that should never be called.");
}

std::string IncompatibleKeys::str() const {
  if (empty()) return "<All keys matched successfully>";
  const auto list = [](const std::vector<std::string>& keys) {
    return Value::list(Values(keys.begin(), keys.end())).repr();
  };
  return "_IncompatibleKeys(missing_keys=" + list(missing_keys) +
         ", unexpected_keys=" + list(unexpected_keys) + ")";
}

std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys) {
  return out << keys.str();
}

}  // namespace taper::nn
