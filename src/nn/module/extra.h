// What few modules have, kept out of the object: hooks, names registered at run time, a cell.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nn/module/hook_table.h"
#include "taper/nn/detail/module_access.h"

namespace taper::nn {

struct Overlay;

/// A name of run time: a registered one, or a plain attribute. `member`: a listed member that was
/// computed for a while has its place here since it was registered again.
struct NamedEntry {
  enum class Kind : std::uint8_t { parameter, buffer, child, plain, member } kind;
  std::string name;
  Parameter parameter = Parameter::none();
  Buffer buffer = Buffer::none();
  std::shared_ptr<Module> child{};
  Value plain{};
};

struct Module::Extra {
  explicit Extra(Module& module) : cell(std::make_shared<Cell>()) { cell->self = &module; }
  std::shared_ptr<HookTable> hooks;
  std::vector<std::unique_ptr<NamedEntry>> entries;  // on the heap: references to them stay valid
  std::shared_ptr<Overlay> overlay;  // null in all but modules with computed members
  std::shared_ptr<Cell> cell;
  bool takes_shapes = false;  ///< a lazy module: loading gives uninitialized tensors their shapes
};

namespace detail {

inline HookTable& ModuleAccess::made_hooks(Module& m) {
  auto& hooks = made_extra(m).hooks;
  if (!hooks) hooks = std::make_shared<HookTable>();
  return *hooks;
}

inline const std::shared_ptr<HookTable>& ModuleAccess::hooks(const Module& m) {
  static const std::shared_ptr<HookTable> none;
  const Extra* e = extra(m);
  return e ? e->hooks : none;
}

inline const std::shared_ptr<Overlay>& ModuleAccess::overlay(const Module& m) {
  static const std::shared_ptr<Overlay> none;
  const Extra* e = extra(m);
  return e ? e->overlay : none;
}

}  // namespace detail

using detail::ModuleAccess;

/// Modules that contain themselves would send recursions without end: throws RuntimeError that
/// prints the cycle when `module` is already being descended into by the same operation.
class Descent {
 public:
  Descent(const Module& module, const char* operation);
  ~Descent();
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;

 private:
  [[noreturn]] void throw_cycle() const;
  const Module* module_;
  const char* operation_;
  const Descent* up_;
};

/// Direct children, None left out; each once if `distinct`.
std::vector<NamedModule> children_of(Module& module, bool distinct);

/// How a tensor stands in texts: "float32 [2, 3]".
std::string describe(const Tensor& t);

}  // namespace taper::nn
