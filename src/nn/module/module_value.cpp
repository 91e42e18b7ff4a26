#include "taper/nn/module_value.h"

#include "core/check.h"
#include "nn/module/extra.h"
#include "taper/nn/python_interop.h"

namespace taper::nn {
namespace {

/// A module in a Value: owned, or referenced through its weak-reference block.
class ModuleObject final : public Picklable {
 public:
  ModuleObject(std::shared_ptr<Module> owned, std::shared_ptr<ModuleAnchor> anchor)
      : owned_(std::move(owned)), anchor_(std::move(anchor)) {}
  Module* get() const {
    return owned_ ? owned_.get() : anchor_->self.load(std::memory_order_acquire);
  }
  const std::shared_ptr<Module>& owned() const { return owned_; }
  std::string type_name() const override {
    return std::string(get() ? get()->type_name() : "Module");
  }
  std::string str() const override { return get() ? get()->str() : "<destroyed module>"; }
  const void* identity() const override { return get(); }
  Value pickled(PickledForms& made) const override {
    if (!get()) fail<RuntimeError>("save: module has been destroyed");
    return detail::to_pickle(*get(), made);
  }

 private:
  std::shared_ptr<Module> owned_;
  std::shared_ptr<ModuleAnchor> anchor_;
};

ModuleObject* object_of(const Value& v) {
  return v.is_module() ? dynamic_cast<ModuleObject*>(&v.as_module()) : nullptr;
}
Value make_module_value(std::shared_ptr<Module> owned, std::shared_ptr<ModuleAnchor> anchor) {
  return Value::module(
      Ref<ValueObject>::adopt(new ModuleObject(std::move(owned), std::move(anchor))));
}

}  // namespace

Value value_of(std::shared_ptr<Module> module) {
  if (!module) return {};
  return make_module_value(std::move(module), nullptr);
}
Value value_of(Module& module) { return make_module_value(nullptr, ModuleAccess::anchor(module)); }
Module* module_of(const Value& value) {
  const ModuleObject* object = object_of(value);
  return object ? object->get() : nullptr;
}
std::shared_ptr<Module> shared_module_of(const Value& value) {
  const ModuleObject* object = object_of(value);
  return object ? object->owned() : nullptr;
}

}  // namespace taper::nn
