// Modules to pickled Python objects.
#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/python_interop/attributes.h"
#include "nn/python_interop/python_class.h"
#include "nn/registry/class_registry.h"
#include "taper/core/warning.h"
#include "taper/nn/lazy_module.h"
#include "taper/nn/python_interop.h"

namespace taper::nn {
namespace {

/// Python path of a module's class: "torch.nn.modules.conv", "Conv2d".
struct PythonPath {
  std::string module, name;
  explicit PythonPath(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    module = path.substr(0, dot), name = path.substr(dot + 1);
  }
};

class Pickler {
 public:
  explicit Pickler(PickledForms& made) : made_(made) {}

  Value pickle(const Module& module) {
    if (const auto found = made_.find(&module); found != made_.end()) return found->second;
    const RecursionGuard guard(module, "to_pickle");
    auto& m = detail::mutable_of(module);
    const ModuleSchema* const schema = schema_for(m);
    const PythonPath path = python_path_of(m, schema);
    reject_computed(m);
    warn_about_hooks(m);
    Opaque object;
    object.callable = Value::global(path.module, path.name);
    object.arguments = Value::tuple();
    object.is_new = true;
    object.state = build_state(m, schema);
    return made_[&module] = Value::opaque(std::move(object));
  }

 private:
  /// Returns the beginning of an error message: "'layer1.0' is a Conv2d".
  std::string location(const Module& m) const {
    return (path_.empty() ? "the module" : "'" + path_ + "'") + " is a " +
           std::string(m.type_name());
  }

  PythonPath python_path_of(Module& m, const ModuleSchema* schema) const {
    if (schema && !schema->file.empty()) {
      if (m.type_name().starts_with("Lazy") || has_uninitialized_params(m))
        fail<RuntimeError>(
            "to_pickle: {} with uninitialized parameters. Call `forward` to initialize them",
            location(m));
      return PythonPath("torch.nn.modules." + std::string(schema->file) + "." +
                        std::string(schema->name));
    }
    const std::string known = python_name_of(typeid(m));
    if (known.empty())
      fail<RuntimeError>(
          "to_pickle: {}, which has no Python class: write TAPER_PYTHON_CLASS({}, "
          "\"my_project.nets.{}\") in a source file, or save its state_dict()",
          location(m), m.type_name(), m.type_name());
    return PythonPath(known);
  }

  void reject_computed(const Module& m) const {
    const auto& computed_members = ModuleAccess::computed_members(m);
    if (!computed_members || computed_members->computed.empty()) return;
    const bool parametrized = m.type_name().starts_with("Parametrized");
    fail<RuntimeError>(
        "to_pickle: {} whose '{}' is computed from other tensors{}", location(m),
        computed_members->computed[0].name,
        parametrized
            ? ". Serialization of parametrized modules is only supported through state_dict(). "
              "See:\nhttps://pytorch.org/tutorials/beginner/saving_loading_models.html"
              "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
            : ": make it a parameter first (remove_weight_norm, remove_spectral_norm, "
              "prune::remove), or save its state_dict()");
  }

  void warn_about_hooks(const Module& m) const {
    const auto& hooks = ModuleAccess::hooks(m);
    if (hooks && (hooks->has_call_hooks() || hooks->state_dict_pre || hooks->state_dict ||
                  hooks->load_pre || hooks->load_post))
      warn("to_pickle: " + location(m) + " with hooks, which cannot be saved: they are omitted");
  }

  /// Returns the object's __dict__ in PyTorch's order.
  Value build_state(Module& m, const ModuleSchema* schema) {
    const PythonAttributes own = schema ? python_attributes(m, *schema) : PythonAttributes{};
    const Value state = Value::dict();
    const auto set = [&](std::string_view name, const Value& v) { state.as_dict().set(name, v); };
    for (const auto& [name, v] : own.before) state.as_dict().set(name, v);
    const RegisteredMembers tensors(m);
    set("training", m.training);
    set("_parameters", tensors.parameters);
    set("_buffers", tensors.buffers);
    set("_non_persistent_buffers_set", m.non_persistent_buffers());
    set("_backward_pre_hooks", Value::ordered_dict());
    set("_backward_hooks", Value::ordered_dict());
    set("_is_full_backward_hook", {});
    for (const char* none :
         {"_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
          "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
          "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"})
      set(none, Value::ordered_dict());
    const Value children = Value::dict();
    for (const auto& [name, child] : tensors.children)
      children.as_dict().set(name, child ? pickle_child(name, *child) : Value());
    set("_modules", children);
    for (const auto& [name, v] : own.after) state.as_dict().set(name, v);
    if (const auto* extra = ModuleAccess::extra(m))
      for (const auto& e : extra->entries)
        if (e->kind == DynamicEntry::Kind::plain) set(e->name, e->plain);
    return state;
  }

  Value pickle_child(const std::string& name, const Module& child) {
    const std::size_t before = path_.size();
    path_ += (path_.empty() ? "" : ".") + name;
    Value made = pickle(child);
    path_.resize(before);
    return made;
  }

  /// Registered tensors in order.
  struct RegisteredMembers final : MemberVisitor {
    explicit RegisteredMembers(Module& m) { ModuleAccess::accept(m, *this); }
    void parameter(const ParameterSlot& s) override {
      parameters.as_dict().set(s.name, s.value ? Value::parameter(*s.value) : Value());
    }
    void buffer(const BufferSlot& s) override {
      buffers.as_dict().set(s.name,
                            s.value ? Value(static_cast<const Tensor&>(*s.value)) : Value());
    }
    void child(const ChildSlot& s) override { children.emplace_back(s.name, s.module); }
    Value parameters = Value::dict(), buffers = Value::dict();
    std::vector<std::pair<std::string, Module*>> children;
  };

  PickledForms& made_;
  std::string path_;
};

}  // namespace

Value detail::to_pickle(const Module& module, PickledForms& made) {
  return Pickler(made).pickle(module);
}

Value to_pickle(const Module& module) {
  PickledForms made;
  return detail::to_pickle(module, made);
}

}  // namespace taper::nn
