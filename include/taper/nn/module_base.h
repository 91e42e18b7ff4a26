// Module: base class of all modules. PyTorch: torch.nn.Module.
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
#include "taper/nn/member_visitor.h"
#include "taper/nn/module_value.h"
#include "taper/nn/state_hooks.h"

namespace TAPER_API taper {
namespace nn {

/// Entry of named_parameters and named_buffers.
struct NamedTensor {
  std::string name;
  Tensor value;
};
/// Entry of named_children and named_modules. Prints as a Python tuple:
/// `('fc', Linear(in_features=2, out_features=3, bias=True))`.
struct NamedModule {
  std::string name;
  Module* module;
};
/// Entry of named_children and named_modules of a const module.
struct ConstNamedModule {
  std::string name;
  const Module* module;
};

/// Options of the iteration functions of a module.
struct NamedOptions {
  /// Prepended to all names, followed by a dot.
  std::string_view prefix{};
  /// Includes the descendants of the module.
  bool recurse = true;
  /// Returns each object once, even if it has several names.
  bool remove_duplicate = true;
  /// Modules that count as already visited; visited modules are added. Ignored unless
  /// `remove_duplicate` is set.
  std::vector<const Module*>* memo = nullptr;
};

/// Weak-reference control block of a module. Moving the module updates it; destroying the module
/// resets it to null.
struct ModuleAnchor {
  std::atomic<Module*> self;
};

/// Properties of a module class, defined by TAPER_MODULE.
struct ClassInfo {
  const char* name;
  std::size_t size;
  const std::type_info* type;
  /// True if the class overrides get_extra_state, set_extra_state or load_from_state_dict.
  bool gets_extra_state, sets_extra_state, loads_itself;
  bool const_forward;  ///< forward can be called on a const module
  bool lazy;           ///< LazyModuleMixin is a base class
  /// Arguments of forward in Python syntax, "input, hx=None", for keyword arguments; null if they
  /// are not known.
  const char* forward_signature;
};

namespace detail {

struct ModuleAccess;

/// Returns a const module as non-const, for visits whose public interface returns const again, and
/// for hooks, which receive a non-const module.
inline Module& mutable_of(const Module& module) { return const_cast<Module&>(module); }

/// Base class of LazyModuleMixin.
struct LazyTag {};

/// Parameter type of deleted copy constructors, which makes the compiler's message mention clone().
struct use_clone {};

/// Throws TypeError: the module, which may be null, is not of the class `wanted`.
[[noreturn]] void throw_other_class(const Module* module, const std::type_info& wanted);

/// Return type of `attr<T>` of a const module.
template <class T> using ConstAttribute =
    std::conditional_t<std::is_base_of_v<AddressTag, T> || std::is_base_of_v<Module, T>, const T&,
                       T>;

}  // namespace detail

/// Pointer to a module as class M, from `as`. Null if the module is of another class.
template <class M> class ModulePointer {
 public:
  ModulePointer(std::nullptr_t) noexcept {}
  ModulePointer(M* typed, const Module& module) noexcept : typed_(typed), module_(&module) {}
  explicit operator bool() const noexcept { return typed_; }
  operator M*() const noexcept { return typed_; }
  M* get() const noexcept { return typed_; }
  M* operator->() const { return &**this; }
  M& operator*() const {
    if (!typed_) detail::throw_other_class(module_, typeid(M));
    return *typed_;
  }

 private:
  M* typed_ = nullptr;
  const Module* module_ = nullptr;
};

/// Base class of all modules. PyTorch: torch.nn.Module.
///
/// A module has value semantics: it can be moved, and is copied only by `clone()`. The members
/// listed in TAPER_MODULE are registered as parameters, buffers and children; dynamically
/// registered entries follow them.
///
/// The members, children and hooks of a const module cannot be changed. It can be iterated over,
/// saved, printed and, if its forward is const, called. As for a const Tensor, the elements of its
/// tensors may change: batch normalization in training mode updates its statistics.
class Module : private AddressTag {
 public:
  Module() noexcept : AddressTag(kTagOfModule) {}
  using AddressTag::operator new;
  /// Copies a module for clone(). Throws RuntimeError if no clone() is running on the current
  /// thread.
  explicit Module(Module& other);
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;
  virtual ~Module();

  /// Training (true) or evaluation mode. Use train() and eval(), which include the children, to set
  /// it.
  bool training = true;

  // Calls.
  /// Runs the hooks and forward of a module that maps one tensor to one tensor. Classes defined
  /// with TAPER_MODULE also have a call operator with the parameters of their forward. Throws
  /// TypeError on a const module if forward is not const.
  Tensor operator()(const Tensor& x) { return call_tensor(x); }
  Tensor operator()(const Tensor& x) const { return const_callable().call_tensor(x); }
  /// Runs the hooks and forward with type-erased arguments. Missing arguments have the defaults of
  /// forward. `kwargs` is a dict for classes that override forward_kwargs. Throws TypeError if the
  /// arguments do not match forward.
  Value call(Values args, const Value& kwargs = {});
  Value call(Values args, const Value& kwargs = {}) const {
    return const_callable().call(std::move(args), kwargs);
  }
  /// Recomputes the members that are computed from others (parametrizations, weight norm, pruning).
  /// Each call does this automatically; it is required only before reading a computed parameter of
  /// a child that was not called.
  void refresh() const;

  // Dynamic registration. The functions replace an entry of the same kind. They throw KeyError if
  // the name is empty, contains a dot or is in use for an attribute of another kind.
  /// Registers a parameter and returns the registered object. The reference is valid while the name
  /// is registered. Throws TypeError if `parameter` is undefined, ValueError if it is not a leaf.
  Parameter& register_parameter(std::string_view name, const Parameter& parameter);
  /// Registers the name as a parameter that is None.
  void register_parameter(std::string_view name, std::nullptr_t);
  /// Registers a value that is None or a Parameter. Throws TypeError for any other value.
  void register_parameter(std::string_view name, const Value& parameter);
  /// Registers a buffer and returns the registered object. The buffer is part of the state dict if
  /// it is persistent.
  Buffer& register_buffer(std::string_view name, const Tensor& tensor, bool persistent = true);
  /// Registers the name as a buffer that is None.
  void register_buffer(std::string_view name, std::nullptr_t, bool persistent = true);
  /// Registers a module as a child and shares its ownership; null registers None.
  void register_module(std::string_view name, std::shared_ptr<Module> module);
  /// Moves a module into a new child and returns the child:
  ///
  ///   auto& fc = register_module("fc", nn::Linear(2, 2));
  template <class M>
  requires std::is_base_of_v<Module, std::remove_cvref_t<M>> &&
      (!std::is_lvalue_reference_v<M>)M& register_module(std::string_view name, M&& module) {
    auto shared = std::make_shared<M>(std::move(module));
    M& made = *shared;
    register_module(name, std::shared_ptr<Module>(std::move(shared)));
    return made;
  }
  /// Registers a module as a child; equivalent to register_module.
  /// PyTorch: torch.nn.Module.add_module.
  void add_module(std::string_view name, std::shared_ptr<Module> module) {
    register_module(name, std::move(module));
  }

  // Access by path ("layer1.0.weight"). Throws AttributeError with PyTorch's messages.
  /// Returns the descendant at `path`; this module if the path is empty.
  Module& get_submodule(std::string_view path);
  const Module& get_submodule(std::string_view path) const {
    return detail::mutable_of(*this).get_submodule(path);
  }
  /// Returns the parameter at `path`.
  Parameter& get_parameter(std::string_view path);
  const Parameter& get_parameter(std::string_view path) const {
    return detail::mutable_of(*this).get_parameter(path);
  }
  /// Returns the buffer at `path`; an undefined tensor if the buffer is None.
  Tensor get_buffer(std::string_view path) const;
  /// Replaces the module at `path`. Unless `strict` is set, the last component of the path may be a
  /// new name; its parent must exist. Throws ValueError if the path is empty or `module` is null.
  void set_submodule(std::string_view path, std::shared_ptr<Module> module, bool strict = false);
  /// Returns a pointer to this module as class M, which is null if it is of another class:
  ///
  ///   if (auto linear = m.as<nn::Linear>()) linear->weight.zero_();
  ///
  /// Dereferencing a null one throws TypeError with the class and printed form of the module.
  template <class M> ModulePointer<M> as() { return {dynamic_cast<M*>(this), *this}; }
  template <class M> ModulePointer<const M> as() const {
    return {dynamic_cast<const M*>(this), *this};
  }

  // Attributes by name, as Python's `m.name`: dynamic plain attributes, `training`, parameters,
  // buffers and children. Plain data members of the class are not accessible by name.
  /// Returns the attribute `name`: a reference for `attr<Parameter>("weight")`,
  /// `attr<nn::Linear>("fc")` and `attr<Buffer>("mean")`, a copy for other types. Throws
  /// AttributeError if the name does not exist, TypeError if the attribute is None or of another
  /// type.
  template <class T> decltype(auto) attr(std::string_view name) {
    return detail::attribute_as<T>(find_attribute(name));
  }
  template <class T> detail::ConstAttribute<T> attr(std::string_view name) const {
    return detail::mutable_of(*this).attr<T>(name);
  }
  /// Returns the attribute `name` as a Value. Throws AttributeError if the name does not exist.
  Value get_attr(std::string_view name) const {
    return detail::mutable_of(*this).find_attribute(name).value();
  }
  /// Returns true if the module has an attribute `name`.
  bool has_attr(std::string_view name) const;
  /// Sets an attribute, as Python's `m.name = value`: registers parameters, buffers and modules,
  /// replaces the entry registered under the name, and otherwise stores a plain attribute. Throws
  /// TypeError if the value does not match the kind of the registered entry, KeyError if a member
  /// of the class has the name.
  void set_attr(std::string_view name, const Value& value);
  void set_attr(std::string_view name, const Parameter& value);
  void set_attr(std::string_view name, const Buffer& value);
  template <class M>
  requires std::is_base_of_v<Module, M>
  void set_attr(std::string_view name, std::shared_ptr<M> value) {
    set_attr_module(name, std::move(value));
  }
  /// Removes an attribute, as Python's `del m.name`. A listed member must be able to represent
  /// None. Throws AttributeError if the name does not exist.
  void del_attr(std::string_view name);

  // Inspection: the entries of this module itself, in order, including those that are None. The
  // functions return new dictionaries that print as those of Python.
  /// Returns the parameters by name. PyTorch: torch.nn.Module._parameters.
  Value own_parameters() const;
  /// Returns the buffers by name. PyTorch: torch.nn.Module._buffers.
  Value own_buffers() const;
  /// Returns the children by name. PyTorch: torch.nn.Module._modules.
  Value own_modules() const;
  /// Returns the set of the names of buffers that are not part of the state dict.
  /// PyTorch: torch.nn.Module._non_persistent_buffers_set.
  Value non_persistent_buffers() const;

  // Iteration in depth-first order: the entries of a module precede those of its children. Each
  // object occurs once unless `remove_duplicate` is false. The descendants of a const module are
  // const.
  /// Returns the parameters of this module and, with `recurse`, of its descendants.
  /// PyTorch: torch.nn.Module.parameters.
  std::vector<Tensor> parameters(bool recurse = true) const;
  /// Returns the parameters with their names. PyTorch: torch.nn.Module.named_parameters.
  std::vector<NamedTensor> named_parameters(const NamedOptions& options = {}) const;
  /// Returns the buffers of this module and, with `recurse`, of its descendants.
  /// PyTorch: torch.nn.Module.buffers.
  std::vector<Tensor> buffers(bool recurse = true) const;
  /// Returns the buffers with their names. PyTorch: torch.nn.Module.named_buffers.
  std::vector<NamedTensor> named_buffers(const NamedOptions& options = {}) const;
  /// Returns the direct children that are not None. PyTorch: torch.nn.Module.children.
  std::vector<Module*> children();
  std::vector<const Module*> children() const;
  /// Returns the direct children with their names. PyTorch: torch.nn.Module.named_children.
  std::vector<NamedModule> named_children();
  std::vector<ConstNamedModule> named_children() const;
  /// Returns this module and all its descendants. PyTorch: torch.nn.Module.modules.
  std::vector<Module*> modules(bool remove_duplicate = true);
  std::vector<const Module*> modules(bool remove_duplicate = true) const;
  /// Returns this module and all its descendants with their names.
  /// PyTorch: torch.nn.Module.named_modules.
  std::vector<NamedModule> named_modules(const NamedOptions& options = {});
  std::vector<ConstNamedModule> named_modules(const NamedOptions& options = {}) const;
  /// Calls `f(parameter)`, or `f(name, parameter)` with the name relative to this module, for each
  /// parameter. Does not allocate for up to a thousand modules and tensors.
  template <class F> void for_each_parameter(F&& f, const NamedOptions& options = {}) {
    visit_parameters(callback<Parameter>(f), options);
  }
  template <class F> void for_each_parameter(F&& f, const NamedOptions& options = {}) const {
    visit_parameters(callback<Parameter, const Parameter>(f), options);
  }
  /// Calls `f(buffer)` or `f(name, buffer)` for each buffer.
  template <class F> void for_each_buffer(F&& f, const NamedOptions& options = {}) {
    visit_buffers(callback<Buffer>(f), options);
  }
  template <class F> void for_each_buffer(F&& f, const NamedOptions& options = {}) const {
    visit_buffers(callback<Buffer, const Buffer>(f), options);
  }
  /// Calls `f(child)` or `f(name, child)` for each direct child.
  template <class F> void for_each_child(F&& f) { visit_children(callback<Module>(f)); }
  template <class F> void for_each_child(F&& f) const {
    visit_children(callback<Module, const Module>(f));
  }
  /// Calls `f(module)` or `f(name, module)` for this module and each descendant.
  template <class F> void for_each_module(F&& f, const NamedOptions& options = {}) {
    visit_modules(callback<Module>(f), options);
  }
  template <class F> void for_each_module(F&& f, const NamedOptions& options = {}) const {
    visit_modules(callback<Module, const Module>(f), options);
  }

  // Training mode and gradients.
  /// Sets the training mode of this module and its descendants; returns the module.
  /// PyTorch: torch.nn.Module.train.
  Module& train(bool mode = true);
  /// Sets evaluation mode, as `train(false)`. PyTorch: torch.nn.Module.eval.
  Module& eval();
  /// Sets the mode of this module and its children; called by train and eval. Override it to
  /// exclude parts of a module from mode changes.
  virtual void set_training(bool mode);
  /// Resets the gradients of all parameters to undefined, or to zero if `set_to_none` is false.
  /// PyTorch: torch.nn.Module.zero_grad.
  void zero_grad(bool set_to_none = true);
  /// Sets `requires_grad` of all parameters; returns the module.
  /// PyTorch: torch.nn.Module.requires_grad_.
  Module& requires_grad_(bool requires_grad = true);

  // Conversion in place. Parameters remain the same objects, so that optimizers stay valid.
  /// Converts all parameters and buffers; returns the module. Throws TypeError if the dtype is not
  /// a floating-point type, NotImplementedError for a conversion from meta to another device (use
  /// to_empty), and RuntimeError if a tensor does not have the rank of the memory format.
  /// PyTorch: torch.nn.Module.to.
  Module& to(const Conversion& conversion);
  Module& to(const Conversion& conversion, const ToOptions& options);
  Module& to(Device device, DType dtype, const ToOptions& options = {});
  /// Converts all floating-point parameters and buffers; returns the module.
  /// PyTorch: torch.nn.Module.float, double, half, bfloat16.
  Module& to_float();
  Module& to_double();
  Module& to_half();
  Module& to_bfloat16();
  /// Converts all parameters and buffers, including integers, to `dtype`; returns the module.
  /// PyTorch: torch.nn.Module.type.
  Module& type(DType dtype);
  /// Moves all parameters and buffers; returns the module. PyTorch: torch.nn.Module.cpu, cuda.
  Module& cpu();
  Module& cuda(int index = 0);
  /// Moves all parameters and buffers to `device` without copying their elements, which are
  /// uninitialized afterward; returns the module. PyTorch: torch.nn.Module.to_empty.
  Module& to_empty(Device device, bool recurse = true);
  /// Moves all parameters and buffers to shared memory, so that their writes are visible to forked
  /// processes; returns the module. PyTorch: torch.nn.Module.share_memory.
  Module& share_memory();
  /// Replaces each parameter, gradient and buffer by `fn` of it, children first.
  /// PyTorch: torch.nn.Module._apply.
  void convert_tensors(const SharedFunction<Tensor(const Tensor&)>& fn, bool recurse = true);
  /// Calls `fn(module)` for each descendant, children first, then for this module; returns the
  /// module. PyTorch: torch.nn.Module.apply.
  Module& apply(const SharedFunction<void(Module&)>& fn);

  // State. Keys, `_metadata` and messages are those of PyTorch; `save` and `load` write and read
  // these dicts.
  /// Returns an OrderedDict with `_metadata`: the parameters and persistent buffers of this module,
  /// its extra state, then those of its children. Tensors share their storage with the module.
  /// PyTorch: torch.nn.Module.state_dict.
  Value state_dict(const StateDictOptions& options = {}) const;
  /// Copies the tensors of `state` into the module. Throws TypeError if `state` is not a dict,
  /// RuntimeError that lists all errors. PyTorch: torch.nn.Module.load_state_dict.
  IncompatibleKeys load_state_dict(const Value& state, const LoadStateDictOptions& options = {});
  template <std::convertible_to<std::string_view> Path>
  void load_state_dict(const Path&,  // a file is read by load(path)
                       const LoadStateDictOptions& = {}) = delete;
  /// Version of the state layout of the class, stored in `_metadata`.
  virtual std::int64_t version() const { return 1; }
  /// Writes the entries of this module to `state.destination`, and reads them back. Override both
  /// functions together. Saving also applies to const modules and must not change the module.
  /// PyTorch: torch.nn.Module._save_to_state_dict, torch.nn.Module._load_from_state_dict.
  virtual void save_to_state_dict(SaveState& state);
  virtual void load_from_state_dict(LoadState& state);
  /// Returns, and restores, a value saved in addition to the tensors, under the key `_extra_state`.
  /// Override both functions together. PyTorch: torch.nn.Module.get_extra_state,
  /// torch.nn.Module.set_extra_state.
  virtual Value get_extra_state();
  virtual void set_extra_state(const Value& state);

  // Forward and backward hooks. Classes defined with TAPER_MODULE also accept hooks with the types
  // of their forward.
  /// Registers `hook(module, args)` or `hook(module, args, kwargs)`, which runs before forward and
  /// may change the arguments. PyTorch: torch.nn.Module.register_forward_pre_hook.
  template <class F>
  RemovableHandle register_forward_pre_hook(F hook, const PrependOption& options = {}) {
    return add_pre_hook(detail::make_pre_hook<Module, F>(std::move(hook)), options);
  }
  /// Registers `hook(module, args, result)` or `hook(module, args, kwargs, result)`, which runs
  /// after forward and may change the result. PyTorch: torch.nn.Module.register_forward_hook.
  template <class F>
  RemovableHandle register_forward_hook(F hook, const HookOptions& options = {}) {
    return add_hook(detail::make_forward_hook<Module, F>(std::move(hook)), options);
  }
  /// Registers `hook(module, grad_output)`, which runs when the gradients of the results are
  /// available, before the backward pass of the module.
  /// PyTorch: torch.nn.Module.register_full_backward_pre_hook.
  template <class F>
  RemovableHandle register_full_backward_pre_hook(F hook, const PrependOption& options = {}) {
    return add_backward_pre_hook(detail::make_backward_pre_hook<Module, F>(std::move(hook)),
                                 options);
  }
  /// Registers `hook(module, grad_input, grad_output)`, which runs when the gradients of the
  /// arguments are available. Throws RuntimeError if a non-full backward hook was ever registered
  /// on the module. PyTorch: torch.nn.Module.register_full_backward_hook.
  template <class F>
  RemovableHandle register_full_backward_hook(F hook, const PrependOption& options = {}) {
    return add_backward_hook(detail::make_backward_hook<Module, F>(std::move(hook)), options);
  }
  /// Registers a deprecated, non-full backward hook, which receives the gradients of the last
  /// operation only. Throws RuntimeError if a full backward hook was ever registered on the module.
  /// PyTorch: torch.nn.Module.register_backward_hook.
  template <detail::GeneralBackwardHook F> RemovableHandle register_backward_hook(F hook) {
    return add_non_full_backward_hook(detail::backward_hook(std::move(hook)));
  }

  // State dict hooks.
  /// Registers `hook(module, prefix, keep_vars)`, which runs before the entries of the module are
  /// saved. PyTorch: torch.nn.Module.register_state_dict_pre_hook.
  RemovableHandle register_state_dict_pre_hook(StateDictPreHook hook);
  /// Registers `hook(module, destination, prefix, metadata)`, which runs after the module and its
  /// children were saved and may modify `destination` in place.
  /// PyTorch: torch.nn.Module.register_state_dict_post_hook.
  template <class F> RemovableHandle register_state_dict_post_hook(F hook) {
    static_assert(detail::kReturnsNothing<F, Module&, const Value&, std::string_view, const Value&>,
                  "a state_dict post-hook is called as hook(nn::Module&, const Value& destination, "
                  "std::string_view prefix, const Value& metadata) and returns nothing");
    return add_state_dict_hook(detail::state_dict_hook(std::move(hook)), false);
  }
  /// Registers `hook(module, destination, prefix, metadata)`, which runs after the module and its
  /// children were saved. A dict that it returns replaces the result of state_dict, if state_dict
  /// was called on this module. PyTorch: torch.nn.Module._register_state_dict_hook.
  RemovableHandle register_state_dict_replacing_hook(StateDictHook hook) {
    return add_state_dict_hook(std::move(hook), true);
  }
  /// Registers `hook(module, state)`, which runs before the entries of the module are loaded.
  /// PyTorch: torch.nn.Module.register_load_state_dict_pre_hook.
  RemovableHandle register_load_state_dict_pre_hook(LoadStateDictPreHook hook);
  /// Registers `hook(module, keys)`, which runs after the module and its children were loaded and
  /// may modify the lists of keys in place.
  /// PyTorch: torch.nn.Module.register_load_state_dict_post_hook.
  template <class F> RemovableHandle register_load_state_dict_post_hook(F hook) {
    static_assert(detail::kReturnsNothing<F, Module&, IncompatibleKeys&>,
                  "a load_state_dict post-hook is called as hook(nn::Module&, "
                  "nn::IncompatibleKeys&) and returns nothing");
    return add_load_post_hook(detail::load_post_hook(std::move(hook)));
  }

  /// Returns the hooks of one kind that are registered on this module.
  HookMap hooks(HookKind kind) const;
  /// Returns true if the backward hooks are full hooks, false if they are non-full; empty if a
  /// backward hook was never registered.
  std::optional<bool> is_full_backward_hook() const;

  // Printing.
  /// Returns Python's printed form.
  virtual std::string str() const;
  /// Returns the text that is printed in the parentheses of a module without children.
  /// PyTorch: torch.nn.Module.extra_repr.
  virtual std::string extra_repr() const { return {}; }
  /// Returns the class name, with the prefix `Parametrized` if the module has parametrizations. For
  /// a lazy module that was called, returns the class that it became.
  /// PyTorch: torch.nn.Module._get_name.
  std::string_view type_name() const;

  /// Returns a deep copy of a module whose class is not known statically; otherwise equivalent to
  /// `clone()`.
  std::shared_ptr<Module> clone_shared() const;
  /// Runs forward with keyword arguments. Layers accept the names of PyTorch; any other class
  /// declares them by `static constexpr const char* forward_signature = "x, mask=None";`. Throws
  /// TypeError for unknown, repeated and missing arguments.
  virtual Value forward_kwargs(Values& args, const Value& kwargs);

 protected:
  // Defined by TAPER_MODULE; implemented manually only by containers.
  virtual const ClassInfo& class_info() const = 0;
  virtual void visit_members(MemberVisitor& visitor) = 0;
  virtual std::shared_ptr<Module> clone_shallow() const = 0;
  virtual Value forward_values(Values& args) = 0;
  virtual Tensor call_tensor(const Tensor& x) = 0;

  /// Throws RuntimeError if forward was called directly, not by a call of the module, although the
  /// call would run hooks or compute members.
  void check_called() const {
    if (!can_call_directly()) [[unlikely]]
      check_nothing_skipped();
  }
  /// Returns the input of forward after this check.
  template <class T> const T& called(const T& input) const { return check_called(), input; }

  // Used by TAPER_MODULE, whose functions accept hooks in the types of the forward of the class.
  RemovableHandle add_pre_hook(detail::ErasedHook hook, const PrependOption& options);
  RemovableHandle add_hook(detail::ErasedHook hook, const HookOptions& options);
  RemovableHandle add_backward_pre_hook(BackwardPreHook hook, const PrependOption& options);
  RemovableHandle add_backward_hook(BackwardHook hook, const PrependOption& options);

 private:
  struct Extra;
  friend struct detail::ModuleAccess;
  [[maybe_unused]] friend void taper_listed(Module*) {}  // see detail::NoListedBase

  // Flags of calls that must enter the slow path: the list of members was not verified, or hooks or
  // computed members may exist.
  enum : std::uint8_t { kUnchecked = 1, kHooked = 2 };
  bool can_call_directly() const noexcept {
    return (call_flags_.load(std::memory_order_relaxed) |
            taper::detail::slow_path_flags.load(std::memory_order_relaxed)) == 0;
  }
  bool enter_slow_path() const;
  void check_nothing_skipped() const;
  /// Returns this module as non-const for a call. Throws TypeError if its forward is not const,
  /// RuntimeError if it is a lazy module that is uninitialized.
  Module& const_callable() const {
    const ClassInfo& info = class_info();
    if (!info.const_forward || info.lazy) [[unlikely]]
      check_const_callable();
    return detail::mutable_of(*this);
  }
  void check_const_callable() const;
  void accept(MemberVisitor& visitor);
  Extra& extra() const;
  void check() const;

  Attribute find_attribute(std::string_view name);
  void set_attr_module(std::string_view name, std::shared_ptr<Module> value);
  RemovableHandle add_non_full_backward_hook(BackwardHook hook);
  RemovableHandle add_state_dict_hook(StateDictHook hook, bool replaces);
  RemovableHandle add_load_post_hook(LoadStateDictPostHook hook);

  template <class T> struct Callback {
    void* f;
    void (*call)(void* f, std::string_view name, T& item);
    bool named;
    void operator()(std::string_view name, T& item) const { call(f, name, item); }
  };
  /// Passes items to `f` as `As`: T or const T.
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

  mutable std::atomic<std::uint8_t> call_flags_{kUnchecked};
  // Lazily allocated state: hooks, dynamically registered entries, weak-reference control block.
  mutable std::atomic<Extra*> extra_{nullptr};
};

/// Writes `module.str()`.
std::ostream& operator<<(std::ostream& out, const Module& module);
/// Writes the printed form of the module; None for null.
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
