#include "nn/module/load/loader.h"

#include "core/check.h"
#include "nn/module/load/rename.h"
#include "nn/module/tree.h"

namespace taper::nn {
namespace {

constexpr std::string_view kAssign = "assign_to_params_buffers";

bool has_load_hooks(Module& m) {
  const auto& hooks = ModuleAccess::hooks(m);
  return hooks && (hooks->load_pre || hooks->load_post);
}

bool any_load_hooks(Module& root) {
  bool any = false;
  const NamedOptions options;
  ModuleTraversal(options, false).descend(root, [&](Module& m, std::string_view) {
    any = any || has_load_hooks(m);
  });
  return any;
}

std::string_view without_trailing_dot(std::string_view prefix) {
  return prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1);
}

}  // namespace

StateDictLoader::StateDictLoader(Module& root, const Value& state,
                                 const LoadStateDictOptions& options, IncompatibleKeys& keys)
    : root_(root), options_(options), keys_(keys), hooked_(any_load_hooks(root)) {
  for (const auto& [key, v] : state.as_dict())
    if (!key.is_string())
      fail<TypeError>("load_state_dict: got a key of type {}, expected str", key.type_name());
  maps_.push_back({rename_keys(state, options)});
  if (const Value* metadata = maps_[0].dict.as_dict().attribute("_metadata"))
    if (metadata->is_dict()) metadata_ = *metadata;
  // Modifications of the entries by hooks and classes must not affect the caller's dict.
  const bool needs_copy = hooked_ || ModuleAccess::class_info(root).loads_itself;
  if (needs_copy && maps_[0].dict.is_dict()) maps_[0].dict = maps_[0].dict.as_dict().copy();
}

void StateDictLoader::run() {
  try {
    load_all();
  } catch (...) {
    if (options_.all_or_nothing) {
      if (options_.report) options_.report->loaded.clear(), options_.report->cast.clear();
      rollback_.run();
    }
    throw;
  }
}

void StateDictLoader::load_all() {
  assignments_.reserve(maps_[0].dict.size());
  std::string prefix;
  load(root_, maps_[0], prefix);
  if (!hooked_) collect_all_unexpected_keys();
  const bool has_errors = !errors_.empty() || (options_.strict && !keys_.empty());
  if (!has_errors) commit();  // without all_or_nothing, all tensors were already assigned
  throw_errors();
  if (options_.report)
    for (const std::string& key : keys_.unexpected_keys) report_skipped(key, "unexpected");
}

void StateDictLoader::throw_errors() {
  std::vector<std::string> report;
  const auto list = [&](const char* kind, const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    std::string line = std::string(kind) + " key(s) in state_dict: ";
    for (std::size_t i = 0; i < keys.size(); ++i) line += (i ? ", \"" : "\"") + keys[i] + "\"";
    report.push_back(line + ". ");
  };
  if (options_.strict) {
    list("Missing", keys_.missing_keys);
    list("Unexpected", keys_.unexpected_keys);
  }
  report.insert(report.end(), errors_.begin(), errors_.end());
  if (report.empty()) return;
  std::string text = "Error(s) in loading state_dict for " + std::string(root_.type_name()) + ":";
  for (const std::string& line : report) text += "\n\t" + line;
  fail<RuntimeError>("{}", text);
}

void StateDictLoader::load(Module& m, EntryMap& map, std::string& prefix) {
  const RecursionGuard guard(m, "load_state_dict");
  const bool customizes_loading = ModuleAccess::class_info(m).loads_itself || has_load_hooks(m);
  EntryMap& entries = customizes_loading && !prefix.empty() ? extract_prefix(map, prefix) : map;
  const Value metadata = local_metadata(prefix);
  LoadState state{entries.dict.as_dict(), prefix,  metadata, keys_.missing_keys,
                  keys_.unexpected_keys,  errors_, *this};
  map_ = &entries;
  assign_immediately_ = customizes_loading || hooked_ || !options_.all_or_nothing;
  m.load_from_state_dict(state);
  for (const NamedModule& c : children_of(m, false)) {
    const std::size_t length = prefix.size();
    (prefix += c.name) += '.';
    load(*c.module, entries, prefix);
    prefix.resize(length);
  }
  run_post_hooks(m);
}

/// Creates and returns a separate dict of the entries under a prefix; modifications of it do not
/// affect the original.
StateDictLoader::EntryMap& StateDictLoader::extract_prefix(EntryMap& map, std::string_view prefix) {
  EntryMap& made = maps_.emplace_back(EntryMap{Value::ordered_dict()});
  Dict& dict = made.dict.as_dict();
  for (const auto& [key, v] : map.dict.as_dict())
    if (key.as_string().starts_with(prefix)) dict.set(key, v);
  map.matched += dict.size();
  return made;
}

Value StateDictLoader::local_metadata(std::string_view prefix) {
  const Value* found = nullptr;
  if (!metadata_.is_none()) found = metadata_.as_dict().find(without_trailing_dot(prefix));
  Value local = found && found->is_dict() ? *found : Value::dict();
  if (options_.assign) local.as_dict().set(kAssign, true);
  return local;
}

void StateDictLoader::load_module(Module& m, LoadState& state) {
  if (const auto hooks = ModuleAccess::hooks(m); hooks && hooks->load_pre)
    for (const auto list = hooks->load_pre; const auto& hook : *list) hook.call(m, state);
  const Value* assign_flag = state.metadata.as_dict().find(kAssign);
  const bool assign = assign_flag && assign_flag->is_bool() && assign_flag->as_bool();
  std::vector<LocalTensor> module_tensors = std::exchange(local_tensors_, {});
  collect_local_tensors(m, module_tensors);
  const auto* extra = ModuleAccess::extra(m);
  const bool adopts_loaded_shapes = extra && extra->adopts_loaded_shapes;
  for (LocalTensor& own : module_tensors) {
    std::string key = state.key(own.name);
    if (const Value* found = std::as_const(state.state).find(key)) {
      ++map_->matched;
      load_entry(own, std::move(key), Value(*found), state, assign, adopts_loaded_shapes);
    } else {
      if (options_.report) options_.report->untouched.push_back(key);
      state.missing_keys.push_back(std::move(key));
    }
  }
  local_tensors_ = std::move(module_tensors);
  load_extra_state(m, state);
  const VisitedModule visit{&m, std::string(state.prefix), map_};
  if (hooked_)
    collect_unexpected_keys(visit);
  else
    visits_.push_back(visit);
}

void StateDictLoader::load_extra_state(Module& m, LoadState& state) {
  if (!ModuleAccess::class_info(m).sets_extra_state) return;  // in this case the key is unexpected
  std::string key = state.key("_extra_state");
  const Value* found = std::as_const(state.state).find(key);
  if (!found) return state.missing_keys.push_back(std::move(key));
  ++map_->matched;
  if (!assign_immediately_) return extra_states_.emplace_back(&m, *found), void();
  if (options_.all_or_nothing) rollback_.record_extra_state(m);
  m.set_extra_state(Value(*found));
}

void StateDictLoader::collect_all_unexpected_keys() {
  bool all_matched = true;
  for (const EntryMap& map : maps_) all_matched = all_matched && map.matched == map.dict.size();
  if (all_matched) return;
  for (const VisitedModule& visit : visits_) collect_unexpected_keys(visit);
}

void StateDictLoader::collect_unexpected_keys(const VisitedModule& visit) {
  struct NameCollector final : MemberVisitor {
    std::vector<std::string_view> children, tensors;  // a child that is None counts as expected
    void parameter(const ParameterSlot& s) override {
      if (s.value) tensors.push_back(s.name);
    }
    void buffer(const BufferSlot& s) override {
      if (s.value && s.value->persistent) tensors.push_back(s.name);
    }
    void child(const ChildSlot& s) override { children.push_back(s.name); }
  } names;
  ModuleAccess::accept(*visit.module, names);
  const auto is_in = [](std::string_view name, const std::vector<std::string_view>& list) {
    for (std::string_view other : list)
      if (other == name) return true;
    return false;
  };
  const std::string extra = visit.prefix + "_extra_state";
  const Dict& dict = visit.map->dict.as_dict();
  if (!ModuleAccess::class_info(*visit.module).sets_extra_state && dict.contains(extra))
    keys_.unexpected_keys.push_back(extra);
  for (const auto& [key, v] : dict) {
    const std::string& full = key.as_string();
    if (full == extra || !full.starts_with(visit.prefix)) continue;
    const std::string_view rest = std::string_view(full).substr(visit.prefix.size());
    const std::size_t dot = rest.find('.');
    const bool known = dot == std::string_view::npos ? is_in(rest, names.tensors)
                                                     : is_in(rest.substr(0, dot), names.children);
    if (!known) keys_.unexpected_keys.push_back(full);
  }
}

void StateDictLoader::run_post_hooks(Module& m) {
  const auto hooks = ModuleAccess::hooks(m);
  if (!hooks || !hooks->load_post) return;
  for (const auto list = hooks->load_post; const auto& hook : *list)
    if (!hook.call(m, keys_).is_none())
      fail<AssertionError>(
          "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return "
          "new values, if incompatible_keys need to be modified, it should be done inplace.");
}

}  // namespace taper::nn
