// What few modules have, kept out of the object: hooks, names registered at run time, a cell.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nn/module/hook_table.h"
#include "taper/nn/module_base.h"

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

/// The library's own way to what is private in a module.
struct ModuleAccess {
  static Module::Extra* extra(const Module& m) { return m.extra_.load(std::memory_order_acquire); }
  static Module::Extra& made_extra(Module& m) { return m.extra(); }
  /// walk() without the check for forgotten members.
  static void walk_unchecked(Module& m, Walker& walker);
  /// The same for a module with an overlay.
  static void walk_shown(Module& m, Walker& walker);
  /// Gives `walker` the tensor of one name, be it computed or not.
  static void walk_hidden(Module& m, std::string_view name, Walker& walker);
  static void visit_entry(NamedEntry& entry, Walker& walker);
  static void set_flag(Module& m, std::uint8_t flag) { m.call_flags_.fetch_or(flag); }
  static HookTable& made_hooks(Module& m) {
    auto& hooks = m.extra().hooks;
    if (!hooks) hooks = std::make_shared<HookTable>();
    return *hooks;
  }
  /// Null if there never were any.
  static const std::shared_ptr<HookTable>& hooks(const Module& m) {
    static const std::shared_ptr<HookTable> none;
    const Module::Extra* e = extra(m);
    return e ? e->hooks : none;
  }
  /// Null if no member ever was computed.
  static const std::shared_ptr<Overlay>& overlay(const Module& m) {
    static const std::shared_ptr<Overlay> none;
    const Module::Extra* e = extra(m);
    return e ? e->overlay : none;
  }
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
