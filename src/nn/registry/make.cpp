// make: modules from names, arguments, descriptions and attributes of Python objects.
#include <map>

#include "core/check.h"
#include "nn/registry/bind.h"
#include "nn/registry/class_registry.h"
#include "nn/registry/signature.h"

namespace taper::nn {
namespace {

/// Creates one module per description, even if the description occurs several times.
struct ModuleBuilder {
  std::map<const Description*, std::shared_ptr<Module>> modules;

  std::shared_ptr<Module> make(const Description& d) {
    std::shared_ptr<Module> module = nn::make(d.name, {}, d.arguments);
    for (const auto& [name, child] : d.children) module->register_module(name, shared(child));
    return module;
  }
  std::shared_ptr<Module> shared(const std::shared_ptr<const Description>& d) {
    if (!d) return nullptr;
    auto& module = modules[d.get()];
    if (!module) module = make(*d);
    return module;
  }
};

/// Access to the state of a Python module by name: plain attributes, parameters, buffers.
class Attributes {
 public:
  explicit Attributes(const Value& all) : all_(all) {
    if (!all.is_dict())
      fail<TypeError>("make_from_attributes: got {}, expected a dict", all.type_name());
    for (const std::string_view kind : {"_parameters", "_buffers"})
      if (const Value* entries = all.as_dict().find(kind); entries && entries->is_dict())
        registered_.push_back(*entries);
  }
  const Value* plain(std::string_view name) const { return all_.as_dict().find(name); }
  const Value* registered(std::string_view name) const {
    for (const Value& entries : registered_)
      if (const Value* found = entries.as_dict().find(name)) return found;
    return nullptr;
  }
  const Tensor* first_tensor() const {
    for (const Value& entries : registered_)
      for (const auto& [name, value] : entries.as_dict())
        if (value.is_tensor()) return &value.as_tensor();
    return nullptr;
  }

 private:
  const Value& all_;
  Values registered_;
};

}  // namespace

std::shared_ptr<Module> make(std::string_view name, const Values& args, const Value& kwargs) {
  const ModuleSchema& schema = find_schema(name);
  if (!kwargs.is_none() && !kwargs.is_dict())
    fail<TypeError>("make: keyword arguments must be a dict, not {}", kwargs.type_name());
  return schema.make(bind(schema, args, kwargs));
}

std::shared_ptr<Module> make(const Description& description) {
  return ModuleBuilder().make(description);
}

std::shared_ptr<Module> make_from_attributes(std::string_view name, const Value& attributes) {
  const ModuleSchema& schema = find_schema(name);
  const Attributes found(attributes);
  const Value kwargs = Value::dict();
  for (const SignatureEntry& e : parse_signature(schema.signature)) {
    const Value* value = found.plain(e.name);
    if (value) {
      kwargs.as_dict().set(e.name, *value);
    } else if ((value = found.registered(e.name))) {
      // A bool argument specifies whether the tensor exists; otherwise the argument is the tensor.
      kwargs.as_dict().set(e.name, e.fallback.is_bool() ? Value(!value->is_none()) : *value);
    } else if (const Tensor* first = found.first_tensor()) {
      if (e.name == "dtype") kwargs.as_dict().set(e.name, first->dtype());
      if (e.name == "device") kwargs.as_dict().set(e.name, first->device());
    }
  }
  return make(name, {}, kwargs);
}

}  // namespace taper::nn
