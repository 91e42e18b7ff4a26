#include "taper/nn/detail/clone.h"

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/module/deep_copy.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn {
namespace {

thread_local bool cloning = false;

}  // namespace

Module::Module(Module& o) : AddressTag(kTagOfModule), training(o.training) {
  if (!cloning) fail<RuntimeError>("{}: modules cannot be copied: use clone()", o.type_name());
  const Extra* const from = o.extra_;
  if (!from) return;
  Extra& e = extra();
  e.adopts_loaded_shapes = from->adopts_loaded_shapes;
  if (from->hooks) {
    e.hooks = std::make_shared<HookTable>(*from->hooks);
    call_flags_ = kUnchecked | kHooked;
  }
  if (from->computed_members) {
    e.computed_members = std::make_shared<ComputedMembers>(*from->computed_members);
    call_flags_ = kUnchecked | kHooked;
  }
  for (const auto& entry : from->entries)
    e.entries.push_back(std::make_unique<DynamicEntry>(*entry));
}

namespace detail {

CloneScope::CloneScope() : outer_(cloning) { cloning = true; }
CloneScope::~CloneScope() { cloning = outer_; }

void CloneScope::deep_copy_members(Module& copy) {
  const NoGrad guard;
  DeepCopier().deep_copy_members(copy);
}

void throw_not_copyable(const Module& module) {
  fail<RuntimeError>("{}: cannot clone: a plain member is not copyable", module.type_name());
}

}  // namespace detail

std::shared_ptr<Module> Module::clone_shared() const {
  detail::CloneScope scope;
  std::shared_ptr<Module> copy = clone_shallow();
  scope.deep_copy_members(*copy);
  return copy;
}

}  // namespace taper::nn
