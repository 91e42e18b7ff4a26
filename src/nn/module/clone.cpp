#include "taper/nn/clone.h"

#include <unordered_map>

#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"

namespace taper::nn {

struct detail::CloneScope::Memo {
  std::unordered_map<const void*, Tensor> tensors;
  std::unordered_map<const Module*, std::shared_ptr<Module>> modules;
};

namespace {

thread_local bool cloning = false;

}  // namespace

Module::Module(const Module& o) : Tag(o), training(o.training) {
  if (!cloning)
    throw RuntimeError(std::string(o.type_name()) + ": modules are not copied, use clone()");
  const Extra* const from = o.extra_;
  if (!from) return;
  Extra& e = extra();
  if (from->hooks) {
    e.hooks = std::make_shared<HookTable>(*from->hooks);
    call_flags_ = kUnchecked | kHooked;
  }
  for (const auto& entry : from->entries) e.entries.push_back(std::make_unique<NamedEntry>(*entry));
}

namespace detail {

CloneScope::CloneScope() : memo_(new Memo), outer_(cloning) { cloning = true; }
CloneScope::~CloneScope() {
  cloning = outer_;
  delete memo_;
}

void CloneScope::separate(Module& copy) {
  struct Separate final : Walker {
    Memo& memo;
    explicit Separate(Memo& m) : memo(m) {}

    /// Gives the copy a tensor of its own, the same for all places that held the same.
    void own(Tensor& t) {
      Tensor& made = memo.tensors[t.impl()];
      if (!made) made = t.detach().clone().requires_grad_(t.requires_grad());
      t = made;
    }
    void parameter(const ParameterSlot& s) override {
      if (s.value) own(*s.value);
    }
    void buffer(const BufferSlot& s) override {
      if (s.value) own(*s.value);
    }
    void child(const ChildSlot& s) override {
      if (!s.module) return;
      if (!s.holder->shared) return ModuleAccess::walk_unchecked(*s.module, *this);
      auto& made = memo.modules[s.module];
      const bool first = !made;
      if (first) made = s.module->clone_shallow();
      const std::shared_ptr<Module> shared = made;
      s.holder->put(s.place, shared);
      if (first) ModuleAccess::walk_unchecked(*shared, *this);
    }
  };
  const NoGrad guard;
  Separate separate(*memo_);
  ModuleAccess::walk_unchecked(copy, separate);
}

void throw_not_copyable(const Module& module) {
  throw RuntimeError(std::string(module.type_name()) +
                     ": has a plain member that cannot be copied, so it cannot be cloned");
}

}  // namespace detail

std::shared_ptr<Module> Module::clone_shared() const {
  detail::CloneScope scope;
  std::shared_ptr<Module> copy = clone_shallow();
  scope.separate(*copy);
  return copy;
}

}  // namespace taper::nn
