// The base class of modules.
#pragma once
#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "taper/autograd/grad_mode.h"
#include "taper/core/api.h"
#include "taper/core/value.h"
#include "taper/nn/attribute.h"
#include "taper/nn/backward_hooks.h"
#include "taper/nn/conversion.h"
#include "taper/nn/hooks.h"
#include "taper/nn/module_value.h"
#include "taper/nn/state_hooks.h"
#include "taper/nn/walk.h"

namespace TAPER_API taper {
namespace nn {

struct NamedTensor {
  std::string name;
  Tensor value;
};
/// Prints as Python's pair: `('fc', Linear(in_features=2, out_features=3, bias=True))`.
struct NamedModule {
  std::string name;
  Module* module;
};
/// Entry of a walk over a const module.
struct ConstNamedModule {
  std::string name;
  const Module* module;
};

/// How iterators over a module treat what occurs twice, and what they put before names.
struct NamedOptions {
  std::string_view prefix{};
  bool recurse = true;
  bool remove_duplicate = true;
  /// Modules that count as met already; those that are met are added. Looked at only where
  /// duplicates are removed.
  std::vector<const Module*>* memo = nullptr;
};

/// What outlives a module: graphs, handles and hooks hold its cell, never the module. Moves of the
/// module update it, its death nulls it.
struct Cell {
  std::atomic<Module*> self;
};

/// Facts of a module's class, from TAPER_MODULE.
struct ClassInfo {
  const char* name;
  std::size_t size;
  const std::type_info* type;
  bool gets_extra_state, sets_extra_state, loads_itself;
  bool const_forward;  ///< forward can be called on a const module
  bool lazy;           ///< LazyModuleMixin is a base
};

namespace detail {

/// The module behind a const reference. For walks, whose public forms return const again, and for
/// hooks, which were registered on a module that may change.
inline Module& mutable_of(const Module& module) { return const_cast<Module&>(module); }

/// Base of LazyModuleMixin.
struct LazyTag {};

/// In the signature of deleted copy constructors, for the compiler's message.
struct use_clone {};

/// Type that `attr<T>` of a const module returns.
template <class T> using ConstAttribute =
    std::conditional_t<std::is_base_of_v<Tag, T> || std::is_base_of_v<Module, T>, const T&, T>;

}  // namespace detail

/// Base of everything with parameters. A module is a value: it moves, and is copied by `clone()`
/// only. Its listed members are its registry; names registered at run time stand behind them.
/// PyTorch: torch.nn.Module.
///
/// A const module keeps its members, children and hooks, and is walked, saved, printed and, if its
/// forward is const, called. The elements of its tensors may change, as those of a const Tensor
/// may: batch normalization in training updates its statistics.
class Module : private Tag {
 public:
  Module() noexcept = default;
  /// For clone(), whose work on a member is to copy it as what is not const. Throws RuntimeError on
  /// a thread where no clone() runs.
  explicit Module(Module& other);
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;
  virtual ~Module();

  /// Training or evaluation mode. Set it with train() and eval(), which reach the children.
  bool training = true;

  // Calling.
  /// Hooks and forward, for modules that take one tensor and give one. Classes with TAPER_MODULE
  /// have a call operator of their own with the arguments of their forward. On a const module
  /// throws TypeError if forward is not const.
  Tensor operator()(const Tensor& x) { return call_tensor(x); }
  Tensor operator()(const Tensor& x) const { return const_callable().call_tensor(x); }
  /// Hooks and forward, whatever its arguments. Missing arguments take forward's defaults. Throws
  /// TypeError for arguments that do not fit. `kwargs` is a dict for classes that override
  /// forward_kwargs.
  Value call(Values args, const Value& kwargs = {});
  Value call(Values args, const Value& kwargs = {}) const {
    return const_callable().call(std::move(args), kwargs);
  }
  /// Brings members that are computed from others (parametrizations, weight norm, pruning) up to
  /// date. Each call does it by itself; a layer that reads a child's parameter without calling the
  /// child does it first.
  void refresh() const;

  // Registration by name, beside the members. Errors are KeyErrors with PyTorch's texts.
  /// The parameter registered; the reference stays valid as long as the name is registered.
  Parameter& register_parameter(std::string_view name, const Parameter& parameter);
  void register_parameter(std::string_view name, std::nullptr_t);
  /// A value that is None or a Parameter; throws TypeError for others.
  void register_parameter(std::string_view name, const Value& parameter);
  Buffer& register_buffer(std::string_view name, const Tensor& tensor, bool persistent = true);
  void register_buffer(std::string_view name, std::nullptr_t, bool persistent = true);
  /// Shares the module; null registers None.
  void register_module(std::string_view name, std::shared_ptr<Module> module);
  /// Takes a module over and gives it back: `auto& fc = register_module("fc", nn::Linear(2, 2))`.
  template <class M>
  requires std::is_base_of_v<Module, std::remove_cvref_t<M>> &&
      (!std::is_lvalue_reference_v<M>)M& register_module(std::string_view name, M&& module) {
    auto shared = std::make_shared<M>(std::move(module));
    M& made = *shared;
    register_module(name, std::shared_ptr<Module>(std::move(shared)));
    return made;
  }
  /// PyTorch: add_module, the same as register_module.
  void add_module(std::string_view name, std::shared_ptr<Module> module) {
    register_module(name, std::move(module));
  }

  // Access by path ("layer1.0.weight"). Throw AttributeError with PyTorch's texts.
  Module& get_submodule(std::string_view path);
  const Module& get_submodule(std::string_view path) const {
    return detail::mutable_of(*this).get_submodule(path);
  }
  Parameter& get_parameter(std::string_view path);
  const Parameter& get_parameter(std::string_view path) const {
    return detail::mutable_of(*this).get_parameter(path);
  }
  /// An undefined tensor for a buffer that is None.
  Tensor get_buffer(std::string_view path) const;
  /// Puts a module in the place of another, or, unless `strict`, under a new name; its parent must
  /// be there. Throws ValueError for an empty path or null.
  void set_submodule(std::string_view path, std::shared_ptr<Module> module, bool strict = false);
  /// This module as a class of yours, or null: `if (auto* linear = m.as<nn::Linear>())`.
  template <class M> M* as() { return dynamic_cast<M*>(this); }
  template <class M> const M* as() const { return dynamic_cast<const M*>(this); }

  // Attributes by name, as Python's `m.name`: plain ones set at run time, `training`, parameters,
  // buffers, children. Plain members of the class have no name at run time.
  /// `attr<Parameter>("weight")`, `attr<nn::Linear>("fc")` and `attr<Buffer>("mean")` give
  /// references, other types copies. Throws AttributeError for a name that is not there, TypeError
  /// for one of another kind or None.
  template <class T> decltype(auto) attr(std::string_view name) {
    return detail::attribute_as<T>(find_attribute(name));
  }
  template <class T> detail::ConstAttribute<T> attr(std::string_view name) const {
    return detail::mutable_of(*this).attr<T>(name);
  }
  /// What the name stands for; None is none. Throws AttributeError.
  Value get_attr(std::string_view name) const {
    return detail::mutable_of(*this).find_attribute(name).value();
  }
  bool has_attr(std::string_view name) const;
  /// What `m.name = value` does: registers parameters, buffers and modules, replaces what is
  /// registered under the name, and otherwise keeps a plain attribute. Errors are PyTorch's.
  void set_attr(std::string_view name, const Value& value);
  void set_attr(std::string_view name, const Parameter& value);
  void set_attr(std::string_view name, const Buffer& value);
  template <class M>
  requires std::is_base_of_v<Module, M>
  void set_attr(std::string_view name, std::shared_ptr<M> value) {
    set_attr_module(name, std::move(value));
  }
  void set_attr_module(std::string_view name, std::shared_ptr<Module> value);
  /// What `del m.name` does. A listed member must be able to be None. Throws AttributeError.
  void del_attr(std::string_view name);
  Attribute find_attribute(std::string_view name);

  // Looking inside: own entries only, in order, None included; fresh dictionaries that print as
  // Python's.
  Value own_parameters() const;          ///< PyTorch: _parameters
  Value own_buffers() const;             ///< PyTorch: _buffers
  Value own_modules() const;             ///< PyTorch: _modules
  Value non_persistent_buffers() const;  ///< a set of names. PyTorch: _non_persistent_buffers_set

  // Iteration: own entries first, then children, depth first; each object once. Modules below a
  // const one are const.
  std::vector<Tensor> parameters(bool recurse = true) const;
  std::vector<NamedTensor> named_parameters(const NamedOptions& options = {}) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  std::vector<NamedTensor> named_buffers(const NamedOptions& options = {}) const;
  std::vector<Module*> children();
  std::vector<const Module*> children() const;
  std::vector<NamedModule> named_children();
  std::vector<ConstNamedModule> named_children() const;
  std::vector<Module*> modules(bool remove_duplicate = true);
  std::vector<const Module*> modules(bool remove_duplicate = true) const;
  std::vector<NamedModule> named_modules(const NamedOptions& options = {});
  std::vector<ConstNamedModule> named_modules(const NamedOptions& options = {}) const;
  /// The same by callback: `f(parameter)`, or `f(name, parameter)` with the name from here. Up to a
  /// thousand modules and as many tensors nothing is allocated.
  template <class F> void each_parameter(F&& f, const NamedOptions& options = {}) {
    visit_parameters(callback<Parameter>(f), options);
  }
  template <class F> void each_parameter(F&& f, const NamedOptions& options = {}) const {
    visit_parameters(callback<Parameter, const Parameter>(f), options);
  }
  template <class F> void each_buffer(F&& f, const NamedOptions& options = {}) {
    visit_buffers(callback<Buffer>(f), options);
  }
  template <class F> void each_buffer(F&& f, const NamedOptions& options = {}) const {
    visit_buffers(callback<Buffer, const Buffer>(f), options);
  }
  template <class F> void each_child(F&& f) { visit_children(callback<Module>(f)); }
  template <class F> void each_child(F&& f) const {
    visit_children(callback<Module, const Module>(f));
  }
  template <class F> void each_module(F&& f, const NamedOptions& options = {}) {
    visit_modules(callback<Module>(f), options);
  }
  template <class F> void each_module(F&& f, const NamedOptions& options = {}) const {
    visit_modules(callback<Module, const Module>(f), options);
  }

  // Mode and gradients.
  Module& train(bool mode = true) {
    set_training(mode);
    return *this;
  }
  Module& eval() {
    set_training(false);
    return *this;
  }
  /// What train and eval do: sets the mode here and in the children. Override to keep parts of a
  /// module in one mode.
  virtual void set_training(bool mode);
  /// Drops the gradients of all parameters, or sets them to zero. PyTorch: zero_grad.
  void zero_grad(bool set_to_none = true);
  Module& requires_grad_(bool requires_grad = true) {
    set_requires_grad(requires_grad);
    return *this;
  }
  void set_requires_grad(bool requires_grad);

  // Conversion, in place. Parameters stay the same objects, so optimizers keep them.
  Module& to(const Conversion& conversion) {
    convert(conversion);
    return *this;
  }
  Module& to(const Conversion& conversion, const ToOptions& options) {
    return to(conversion.with(options));
  }
  /// Throws TypeError for integer dtypes, NotImplementedError from meta to another device
  /// (to_empty), RuntimeError for a memory format that a tensor's rank does not have.
  void convert(const Conversion& conversion);
  void convert_floats(DType dtype);  ///< floating tensors only: to_float() and its kin
  void convert_all(DType dtype);     ///< every tensor, integers too: type()
  void convert_to_empty(Device device, bool recurse = true);  ///< to_empty(): contents undefined
  void move_to_shared_memory();  ///< share_memory(): forked processes see each other's writes
  /// Replaces every parameter, gradient and buffer by `fn` of it, children first. PyTorch: _apply.
  void convert_tensors(const Function<Tensor(const Tensor&)>& fn, bool recurse = true);
  /// Calls `fn(module)` for all modules below, children first, then for this one. PyTorch: apply.
  template <class F> Module& apply(F&& fn) {
    apply_to_all(Function<void(Module&)>(std::forward<F>(fn)));
    return *this;
  }
  void apply_to_all(const Function<void(Module&)>& fn);

  // State. Layouts and texts are PyTorch's; files are written from and read into these.
  /// A dict of class OrderedDict with `_metadata`: own parameters and persistent buffers, extra
  /// state, then the children's. The tensors share their elements with the module.
  Value state_dict(const StateDictOptions& options = {}) const;
  /// Copies elements in. RuntimeError lists all that is wrong; TypeError for what is no dict.
  IncompatibleKeys load_state_dict(const Value& state, const LoadStateDictOptions& options = {});
  /// Layout version of the class's own state, saved in `_metadata`.
  virtual std::int64_t version() const { return 1; }
  /// Own entries into `state.destination`. Override together with load_from_state_dict; called on
  /// const modules too, and changes nothing here. PyTorch: _save_to_state_dict,
  /// _load_from_state_dict.
  virtual void save_to_state_dict(SaveState& state);
  virtual void load_from_state_dict(LoadState& state);
  /// Any value saved beside the tensors under `_extra_state`. Override both.
  virtual Value get_extra_state();
  virtual void set_extra_state(const Value& state);

  // Hooks of the call. Classes with TAPER_MODULE take hooks in the types of their forward as well.
  template <class F>
  HookHandle register_forward_pre_hook(F hook, const PrependOption& options = {}) {
    return add_pre_hook(detail::make_pre_hook<Module, F>(std::move(hook)), options);
  }
  template <class F> HookHandle register_forward_hook(F hook, const HookOptions& options = {}) {
    return add_hook(detail::make_forward_hook<Module, F>(std::move(hook)), options);
  }
  /// Once the gradients of the results are known, before the module's own backward.
  template <class F>
  HookHandle register_full_backward_pre_hook(F hook, const PrependOption& options = {}) {
    return add_backward_pre_hook(detail::make_backward_pre_hook<Module, F>(std::move(hook)),
                                 options);
  }
  /// Once the gradients of the arguments are known. Throws RuntimeError on a module that ever had
  /// a non-full one.
  template <class F>
  HookHandle register_full_backward_hook(F hook, const PrependOption& options = {}) {
    return add_backward_hook(detail::make_backward_hook<Module, F>(std::move(hook)), options);
  }
  /// The deprecated kind: sees the gradients of the last operation only. Throws RuntimeError on a
  /// module that ever had a full one.
  template <detail::GeneralBackwardHook F> HookHandle register_backward_hook(F hook) {
    return add_non_full_backward_hook(detail::backward_hook(std::move(hook)));
  }
  HookHandle add_pre_hook(detail::MadeHook hook, const PrependOption& options);
  HookHandle add_hook(detail::MadeHook hook, const HookOptions& options);
  HookHandle add_backward_pre_hook(BackwardPreHook hook, const PrependOption& options);
  HookHandle add_backward_hook(BackwardHook hook, const PrependOption& options);
  HookHandle add_non_full_backward_hook(BackwardHook hook);

  // Hooks of saving and loading.
  HookHandle register_state_dict_pre_hook(StateDictPreHook hook);
  /// `hook(module, destination, prefix, metadata)` may change what was saved, in place.
  template <class F> HookHandle register_state_dict_post_hook(F hook) {
    static_assert(detail::kReturnsNothing<F, Module&, const Value&, std::string_view, const Value&>,
                  "a state_dict post-hook is called as hook(nn::Module&, const Value& destination, "
                  "std::string_view prefix, const Value& metadata) and returns nothing");
    return add_state_dict_hook(detail::state_dict_hook(std::move(hook)), false);
  }
  /// The same, but a dict it returns takes the place of what state_dict of this module gives, if it
  /// was called on this module. PyTorch: _register_state_dict_hook.
  HookHandle register_state_dict_replacing_hook(StateDictHook hook) {
    return add_state_dict_hook(std::move(hook), true);
  }
  HookHandle register_load_state_dict_pre_hook(LoadStateDictPreHook hook);
  /// `hook(module, keys)` may change the lists of keys, in place.
  template <class F> HookHandle register_load_state_dict_post_hook(F hook) {
    static_assert(detail::kReturnsNothing<F, Module&, IncompatibleKeys&>,
                  "a load_state_dict post-hook is called as hook(nn::Module&, "
                  "nn::IncompatibleKeys&) and returns nothing");
    return add_load_post_hook(detail::load_post_hook(std::move(hook)));
  }
  HookHandle add_state_dict_hook(StateDictHook hook, bool replaces);
  HookHandle add_load_post_hook(LoadStateDictPostHook hook);

  /// The hooks of one kind that are registered here.
  HookMap hooks(HookKind kind) const;
  /// Whether backward hooks are full ones: unset until the first was registered, then for good.
  std::optional<bool> is_full_backward_hook() const;

  // Printing.
  /// As Python prints it.
  virtual std::string str() const;
  /// What stands between the parentheses of a module without children.
  virtual std::string extra_repr() const { return {}; }
  /// The name of the class, `Parametrized` before it where parametrizations are; of a lazy module
  /// that was called, the class it became. PyTorch: _get_name.
  std::string_view type_name() const;

  /// A deep copy of unknown class, as `clone()` makes one of known class.
  std::shared_ptr<Module> clone_shared() const;
  const std::shared_ptr<Cell>& cell();

  /// Gives `walker` what is registered here. The first walk checks that no member was forgotten.
  void walk(Walker& walker);

  // From TAPER_MODULE; written by hand only by containers.
  virtual const ClassInfo& class_info() const = 0;
  virtual void walk_members(Walker& walker) = 0;
  virtual std::shared_ptr<Module> clone_shallow() const = 0;
  /// forward through Value and Tensor; the former without hooks, the latter with.
  virtual Value forward_values(Values& args) = 0;
  virtual Tensor call_tensor(const Tensor& x) = 0;
  /// forward with keyword arguments. The default refuses them.
  virtual Value forward_kwargs(Values& args, const Value& kwargs);

  // For the call operator.
  enum : std::uint8_t { kUnchecked = 1, kHooked = 2 };
  bool has_plain_call() const noexcept {
    return (call_flags_.load(std::memory_order_relaxed) |
            taper::detail::watched_calls.load(std::memory_order_relaxed)) == 0;
  }
  /// Checks a module that was never walked. True if hooks are to run.
  bool prepare_call() const;
  /// This module for a call of a const one. Throws TypeError unless its forward is const and a lazy
  /// module has its sizes.
  Module& const_callable() const {
    const ClassInfo& info = class_info();
    if (!info.const_forward || info.lazy) [[unlikely]]
      check_const_callable();
    return detail::mutable_of(*this);
  }

 private:
  template <class T> struct Callback {
    void* f;
    void (*call)(void* f, std::string_view name, T& item);
    bool named;
    void operator()(std::string_view name, T& item) const { call(f, name, item); }
  };
  /// `f` sees items as `As`: T, or const T.
  template <class T, class As = T, class F> static Callback<T> callback(F& f) {
    using G = std::remove_reference_t<F>;
    void* at = const_cast<void*>(static_cast<const void*>(&f));
    if constexpr (std::is_invocable_v<G&, std::string_view, As&>)
      return {at,
              [](void* g, std::string_view name, T& item) {
                (*static_cast<G*>(g))(name, static_cast<As&>(item));
              },
              true};
    else
      return {
          at,
          [](void* g, std::string_view, T& item) { (*static_cast<G*>(g))(static_cast<As&>(item)); },
          false};
  }
  void visit_parameters(Callback<Parameter> f, const NamedOptions& options) const;
  void visit_buffers(Callback<Buffer> f, const NamedOptions& options) const;
  void visit_children(Callback<Module> f) const;
  void visit_modules(Callback<Module> f, const NamedOptions& options) const;
  void check_const_callable() const;

  struct Extra;
  friend struct ModuleAccess;
  [[maybe_unused]] friend void taper_listed(Module*) {}  // see detail::NoListedBase
  Extra& extra() const;
  void check() const;

  mutable std::atomic<std::uint8_t> call_flags_{kUnchecked};
  // What few modules have: hooks, names of run time, a cell.
  mutable std::atomic<Extra*> extra_{nullptr};
};

std::ostream& operator<<(std::ostream& out, const Module& module);
/// Prints the module itself, as the elements of `modules()` print in Python; None for null.
std::ostream& operator<<(std::ostream& out, const Module* module);
template <std::derived_from<Module> M>
std::ostream& operator<<(std::ostream& out, const std::shared_ptr<M>& module) {
  return out << static_cast<const Module*>(module.get());
}
std::ostream& operator<<(std::ostream& out, const NamedModule& entry);
std::ostream& operator<<(std::ostream& out, const ConstNamedModule& entry);

namespace detail {

template <class M> M* same_class(Module* module) {
  return module && typeid(*module) == typeid(M) ? static_cast<M*>(module) : nullptr;
}

}  // namespace detail
}  // namespace nn
}  // namespace taper
