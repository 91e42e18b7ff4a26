// Lazily allocated module state: hooks, dynamically registered entries, weak-reference block.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/never_destroyed.h"
#include "nn/module/hook_table.h"
#include "taper/nn/detail/module_access.h"

namespace taper::nn {

struct ComputedMembers;

/// A dynamically registered entry or a plain attribute. Kind `member`: a listed member that was
/// computed and then registered again, which moves it to the end.
struct DynamicEntry {
  enum class Kind : std::uint8_t { parameter, buffer, child, plain, member } kind;
  std::string name;
  Parameter parameter = Parameter::none();
  Buffer buffer = Buffer::none();
  std::shared_ptr<Module> child{};
  Value plain{};
};

struct Module::Extra {
  explicit Extra(Module& module) : anchor(std::make_shared<ModuleAnchor>()) {
    anchor->self = &module;
  }
  std::shared_ptr<HookTable> hooks;
  std::vector<std::unique_ptr<DynamicEntry>>
      entries;  // on the heap: references to them remain valid
  std::shared_ptr<ComputedMembers> computed_members;  // null unless the module has computed members
  std::shared_ptr<ModuleAnchor> anchor;
  /// True for a lazy module: load_state_dict determines the shapes of uninitialized tensors.
  bool adopts_loaded_shapes = false;
};

namespace detail {

inline HookTable& ModuleAccess::get_or_create_hooks(Module& m) {
  auto& hooks = get_or_create_extra(m).hooks;
  if (!hooks) hooks = std::make_shared<HookTable>();
  return *hooks;
}

inline const std::shared_ptr<HookTable>& ModuleAccess::hooks(const Module& m) {
  static const NeverDestroyed<std::shared_ptr<HookTable>> none;
  const Extra* e = extra(m);
  return e ? e->hooks : *none;
}

inline const std::shared_ptr<ComputedMembers>& ModuleAccess::computed_members(const Module& m) {
  static const NeverDestroyed<std::shared_ptr<ComputedMembers>> none;
  const Extra* e = extra(m);
  return e ? e->computed_members : *none;
}

}  // namespace detail

using detail::ModuleAccess;

/// Guards a recursion over modules. Throws RuntimeError with the cycle if the same operation is
/// already visiting `module`, that is, if the module contains itself.
class RecursionGuard {
 public:
  RecursionGuard(const Module& module, const char* operation);
  ~RecursionGuard();
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;

 private:
  [[noreturn]] void throw_cycle() const;
  const Module* module_;
  const char* operation_;
  const RecursionGuard* outer_;
};

/// Returns the direct children except None; each only once if `distinct` is true.
std::vector<NamedModule> children_of(Module& module, bool distinct);

/// Returns the dtype and shape of a tensor for messages: "float32 [2, 3]".
std::string dtype_and_shape(const Tensor& t);

}  // namespace taper::nn
