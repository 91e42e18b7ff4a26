// from_pickle: modules from pickled Python objects.
#include <algorithm>
#include <map>
#include <set>

#include "core/check.h"
#include "io/text.h"
#include "nn/module/name_lookup.h"
#include "nn/python_interop/attributes.h"
#include "nn/python_interop/python_class.h"
#include "nn/registry/class_registry.h"
#include "nn/registry/signature.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/warning.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/pickled_module.h"
#include "taper/nn/parameter_dict.h"
#include "taper/nn/python_interop.h"

namespace taper::nn {
namespace {

constexpr std::size_t kMaxDepth = 1000;
constexpr std::string_view kPrefix = "from_pickle: ";

/// Names of the registered entries of a module; the value is false for entries that are None.
struct RegisteredNames final : MemberVisitor {
  explicit RegisteredNames(Module& m) { ModuleAccess::accept(m, *this); }
  void parameter(const ParameterSlot& s) override {
    parameters.emplace(s.name, s.value != nullptr);
  }
  void buffer(const BufferSlot& s) override { buffers.emplace(s.name, s.value != nullptr); }
  void child(const ChildSlot& s) override { children.emplace(s.name, s.module != nullptr); }
  std::map<std::string, bool> parameters, buffers, children;
};

const ModuleSchema* find_schema_of_class(const std::string& name) {
  if (const std::type_info* type = find_python_class(name))
    if (const ModuleSchema* schema = find_schema(*type)) return schema;
  try {
    return &find_schema(name);
  } catch (const AttributeError&) { return nullptr; }
}

/// Returns the type of an object that was expected to be a tensor or module.
std::string describe_type(const Value& v) {
  if (v.kind() != Value::Kind::opaque) return v.type_name();
  const Value& callable = v.as_opaque().callable;
  if (callable.kind() != Value::Kind::global) return v.type_name();
  const auto [module, name] = callable.as_global();
  return std::string(module) + "." + std::string(name);
}

/// Returns escaped text of a file for error messages. Long text is shortened in the middle, because
/// a nested error ends with its reason.
std::string printable(std::string_view text) {
  constexpr std::size_t kMax = 900, kHalf = 400;
  if (text.size() <= kMax) return io::escape_for_message(text, kMax);
  return io::escape_for_message(text.substr(0, kHalf), kMax) + " ... " +
         io::escape_for_message(text.substr(text.size() - kHalf), kMax);
}

class ModuleRebuilder {
 public:
  std::vector<std::string> hooks;

  /// Returns the module of an object, the same one for each occurrence of the object.
  std::shared_ptr<Module> shared(const Value& object) {
    if (object.kind() != Value::Kind::opaque) return make(object);
    if (const auto found = modules_.find(&object.as_opaque()); found != modules_.end())
      return found->second;
    return modules_[&object.as_opaque()] = make(object);
  }

 private:
  /// Creates a module from an object.
  std::shared_ptr<Module> make(const Value& object) {
    const std::optional<PickledModule> m = pickled_module(object);
    if (!m)
      fail<ValueError>("{}{} is not a module: got {}", kPrefix, location(), describe_type(object));
    if (++depth_ > kMaxDepth)
      fail<ValueError>("{}modules are nested too deeply: got more than {} levels", kPrefix,
                       kMaxDepth);
    const ModuleSchema* const schema = find_schema_of_class(m->class_name);
    if (!schema) reject_class(*m);
    for (const std::string& name : m->hook_names)
      hooks.push_back((path_.empty() ? "" : path_ + ": ") + name);
    std::shared_ptr<Module> made;
    try {
      made = construct(*schema, object.as_opaque().state.as_dict());
      if (made->as<ParameterList>() || made->as<ParameterDict>())
        append_elements(*made, *m, object.as_opaque().state.as_dict());
      else
        restore_entries(*made, *m, *schema);
      made->training = m->training;
    } catch (const Error& e) {
      if (std::string_view(e.what()).starts_with(kPrefix)) throw;
      throw_error(e.kind(),
                  format_message("{}{} ({}): {}", kPrefix, location(), m->class_name, e.what()));
    }
    --depth_;
    return made;
  }

  std::string location() const { return path_.empty() ? "the module" : "'" + path_ + "'"; }

  [[noreturn]] void reject_class(const PickledModule& m) const {
    const bool torch = m.class_name.starts_with("torch.");
    fail<AttributeError>(
        "{}{} is a {}, which is not a registered class: {}state_dict_of(value) returns its tensors",
        kPrefix, location(), m.class_name,
        torch ? ""
              : "write TAPER_REGISTER for a module of that name with its attributes as options; ");
  }

  /// Constructs the module. Layers are constructed on the meta device, without memory, because
  /// their values are read from the file. The state of the default generator is preserved.
  std::shared_ptr<Module> construct(const ModuleSchema& schema, const Dict& state) {
    const Value attributes = state.copy();
    if (schema.name.starts_with("Lazy") && !schema.file.empty())
      fail<ValueError>("lazy module was pickled before its parameters were initialized");
    complete_attributes(schema, attributes.as_dict());
    if (!schema.file.empty()) attributes.as_dict().set("device", Device::meta());
    const ForkRng rng;
    return make_from_attributes(schema.file.empty() ? schema.name : python_path(schema),
                                attributes);
  }
  static std::string python_path(const ModuleSchema& schema) {
    return "torch.nn.modules." + std::string(schema.file) + "." + std::string(schema.name);
  }

  void restore_entries(Module& m, const PickledModule& from, const ModuleSchema& schema) {
    const RegisteredNames before(m);
    for (const auto& [key, v] : from.parameters.as_dict()) restore_parameter(m, key.as_string(), v);
    for (const auto& [name, there] : before.parameters)
      if (there && !from.parameters.contains(name)) reject_missing("parameter", name, from);
    for (const auto& [key, v] : from.buffers.as_dict()) restore_buffer(m, key.as_string(), v, from);
    for (const auto& [name, there] : before.buffers)
      if (there && !from.buffers.contains(name)) initialize_missing_buffer(m, name, from);
    for (const auto& [key, v] : from.modules.as_dict()) restore_child(m, key.as_string(), v);
    for (const auto& [name, there] : before.children)
      if (there && !from.modules.contains(name)) reject_missing("module", name, from);
    restore_attributes(m, from, schema);
  }

  [[noreturn]] static void reject_tensor(const char* kind, const std::string& name, const Value& v,
                                         const char* expected) {
    const Value* tensor = &v;
    if (v.kind() == Value::Kind::opaque && v.as_opaque().arguments.is_tuple() &&
        describe_type(v).starts_with("torch._utils._rebuild_parameter") &&
        v.as_opaque().arguments.size() > 0)
      tensor = &v.as_opaque().arguments.as_tuple()[0];
    if (const auto foreign = foreign_tensor(*tensor))
      fail<ValueError>("the {} '{}' has unsupported dtype torch.{}", kind, name, foreign->dtype);
    fail<ValueError>("the {} '{}' is a {}, not {}", kind, name, describe_type(*tensor), expected);
  }

  void restore_parameter(Module& m, const std::string& name, const Value& v) {
    if (v.is_none()) return m.register_parameter(name, nullptr);
    if (!v.is_parameter()) reject_tensor("parameter", name, v, "a Parameter");
    m.register_parameter(name, Parameter::of(v.as_tensor()));
  }

  void restore_buffer(Module& m, const std::string& name, const Value& v,
                      const PickledModule& from) {
    const auto& non_persistent_names = from.non_persistent;
    const bool persistent =
        !std::binary_search(non_persistent_names.begin(), non_persistent_names.end(), name);
    if (v.is_none()) return m.register_buffer(name, nullptr, persistent);
    if (!v.is_tensor()) reject_tensor("buffer", name, v, "a tensor");
    m.register_buffer(name, v.as_tensor(), persistent);
  }

  /// Initializes a buffer that the file lacks. User-defined classes have already done so; for
  /// layers, it is a counter that did not exist when the file was written.
  static void initialize_missing_buffer(Module& m, const std::string& name,
                                        const PickledModule& from) {
    const Tensor made = m.get_buffer(name);
    if (!made.device().is_meta()) return;
    if (made.dim() > 0) reject_missing("buffer", name, from);
    m.set_attr(name, zeros({}, {.dtype = made.dtype()}));
  }

  [[noreturn]] static void reject_missing(const char* kind, const std::string& name,
                                          const PickledModule& from) {
    std::string text = taper::format_message("missing {} '{}'", kind, name);
    if (!from.hook_names.empty()) {
      text += "; these hooks may have created it and should be removed before saving:";
      for (const std::string& hook : from.hook_names) text += " " + hook;
    }
    fail<ValueError>("{}", text);
  }

  void restore_child(Module& m, const std::string& name, const Value& object) {
    if (object.is_none()) return m.register_module(name, nullptr);
    const std::size_t before = path_.size();
    path_ += (path_.empty() ? "" : ".") + name;
    // A member that holds a module by value requires a module that is not shared.
    const NameLookup there(m, name);
    const bool held_by_value =
        there.kind == NameLookup::Kind::child && !there.child_slot.holder->shared;
    std::shared_ptr<Module> child = held_by_value ? make(object) : shared(object);
    path_.resize(before);
    m.register_module(name, std::move(child));
  }

  /// Sets the attributes of the object that its class does not set.
  static void restore_attributes(Module& m, const PickledModule& from, const ModuleSchema& schema) {
    std::set<std::string, std::less<>> class_attributes = {
        "all_weights"};  // a legacy attribute of RNNs
    for (const std::string_view names : {schema.signature, attribute_names(schema)})
      for (const SignatureEntry& e : parse_signature(names)) class_attributes.emplace(e.name);
    for (const auto& [key, v] : from.attributes.as_dict())
      if (!class_attributes.contains(key.as_string())) m.set_attr(key.as_string(), v);
  }

  // Appends the elements of ParameterList and ParameterDict: parameters, modules and plain
  // attributes.
  void append_elements(Module& m, const PickledModule& from, const Dict& state) {
    if (const auto list = m.as<ParameterList>()) {
      const Value* const size = state.find("_size");
      const std::int64_t count =
          size ? size->as_int() : static_cast<std::int64_t>(from.parameters.size());
      for (std::int64_t i = 0; i < count; ++i)
        list->append(element(std::to_string(i), from, state));
    } else if (const auto dict = m.as<ParameterDict>()) {
      const Value* const keys = state.find("_keys");
      for (const auto& [key, none] : (keys ? *keys : from.parameters).as_dict())
        dict->set(key.as_string(), element(key.as_string(), from, state));
    }
  }
  Value element(const std::string& name, const PickledModule& from, const Dict& state) {
    if (const Value* v = from.parameters.find(name)) {
      if (!v->is_parameter()) reject_tensor("parameter", name, *v, "a Parameter");
      return *v;
    }
    if (const Value* v = from.modules.find(name)) {
      const std::size_t before = path_.size();
      path_ += (path_.empty() ? "" : ".") + name;
      Value made = value_of(shared(*v));
      path_.resize(before);
      return made;
    }
    if (const Value* v = state.find(name)) return *v;
    fail<ValueError>("missing element '{}'", name);
  }

  std::map<const void*, std::shared_ptr<Module>> modules_;
  std::string path_;
  std::size_t depth_ = 0;
};

void warn_ignored_hooks(const std::vector<std::string>& hooks) {
  constexpr std::size_t kMax = 20;
  std::string text = "from_pickle: Python hooks are ignored:";
  for (std::size_t i = 0; i < std::min(hooks.size(), kMax); ++i)
    text += "\n  " + printable(hooks[i]);
  if (hooks.size() > kMax) text += "\n  and " + std::to_string(hooks.size() - kMax) + " more";
  warn(text);
}

}  // namespace

std::shared_ptr<Module> from_pickle(const Value& pickled, const FromPickleOptions& options) {
  if (!pickled_module(pickled))
    fail<TypeError>("{}not a pickled module: got {}. Use load_state_dict for state dicts", kPrefix,
                    printable(describe_type(pickled)));
  ModuleRebuilder rebuilder;
  std::shared_ptr<Module> made;
  try {
    made = rebuilder.shared(pickled);
  } catch (const Error& e) { throw_error(e.kind(), printable(e.what())); }
  if (options.hooks)
    *options.hooks = std::move(rebuilder.hooks);
  else if (!rebuilder.hooks.empty())
    warn_ignored_hooks(rebuilder.hooks);
  return made;
}

}  // namespace taper::nn
