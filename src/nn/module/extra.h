// What few modules have, kept out of the object: hooks, names registered at run time, a cell.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taper/nn/module_base.h"

namespace taper::nn {

struct HookEntry {
  std::uint64_t id;
  Hook call;
  bool always_call;
};

/// Hooks in order. Readers take the list as it is; writers put a new one in its place, so a hook
/// may register and remove hooks while the list runs.
class HookTable final : public HookOwner {
 public:
  using List = std::shared_ptr<const std::vector<HookEntry>>;

  HookTable() = default;
  HookTable(const HookTable& o) : lists_{o.lists_[0], o.lists_[1]} {}
  enum Which : std::uint8_t { kPre, kForward };
  std::uint64_t add(Which which, Hook hook, const HookOptions& options);
  void remove_hook(std::uint64_t id) override;
  List list(Which which) const {
    std::lock_guard lock(mutex_);
    return lists_[which];
  }
  bool empty() const {
    std::lock_guard lock(mutex_);
    return !lists_[kPre] && !lists_[kForward];
  }

 private:
  mutable std::mutex mutex_;
  List lists_[2];  // null when empty
};

/// A name registered at run time: one of the three.
struct NamedEntry {
  enum class Kind : std::uint8_t { parameter, buffer, child } kind;
  std::string name;
  Parameter parameter = Parameter::none();
  Buffer buffer = Buffer::none();
  std::shared_ptr<Module> child{};
};

struct Module::Extra {
  std::shared_ptr<HookTable> hooks;
  std::vector<std::unique_ptr<NamedEntry>> entries;  // on the heap: references to them stay valid
  std::shared_ptr<Cell> cell;
};

/// The library's own way to what is private in a module.
struct ModuleAccess {
  static Module::Extra* extra(const Module& m) { return m.extra_; }
  static Module::Extra& made_extra(Module& m) { return m.extra(); }
  /// walk() without the check for forgotten members.
  static void walk_unchecked(Module& m, Walker& walker);
  static void set_flag(Module& m, std::uint8_t flag) { m.call_flags_.fetch_or(flag); }
  static std::atomic<std::uint8_t>& global_flags() { return Module::global_call_flags; }
};

/// Modules that contain themselves would send recursions without end: throws RuntimeError that
/// prints the cycle when `module` is already being descended into by the same operation.
class Descent {
 public:
  Descent(const Module& module, const char* operation);
  ~Descent();
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;

 private:
  const Module* module_;
  const char* operation_;
  const Descent* up_;
};

/// Direct children, None left out; each once if `distinct`.
std::vector<NamedModule> children_of(Module& module, bool distinct);

/// How a tensor stands in texts: "float32 [2, 3]".
std::string describe(const Tensor& t);

}  // namespace taper::nn
