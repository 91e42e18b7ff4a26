// Construction, moves and destruction of modules, and visiting of members.
#include "core/check.h"
#include "nn/module/extra.h"
#include "taper/nn/detail/clone.h"
#include "taper/nn/ref.h"

namespace taper::nn {

Module::Module(Module&& o) noexcept
    : AddressTag(kTagOfModule),
      training(o.training),
      call_flags_(o.call_flags_.load(std::memory_order_relaxed)),
      extra_(o.extra_.exchange(nullptr)) {
  if (Extra* e = extra_) e->anchor->self = this;
}

Module& Module::operator=(Module&& o) noexcept {
  if (this == &o) return *this;
  Extra* const new_extra = o.extra_.exchange(nullptr);
  Extra* const old_extra = extra_.exchange(new_extra);
  if (old_extra) old_extra->anchor->self = nullptr;
  delete old_extra;
  if (new_extra) new_extra->anchor->self = this;
  training = o.training;
  call_flags_ = o.call_flags_.load(std::memory_order_relaxed);
  return *this;
}

Module::~Module() {
  Extra* const e = extra_;
  if (!e) return;
  e->anchor->self = nullptr;
  delete e;
}

// Uses an atomic pointer, because calls from several threads may allocate the state concurrently
// for the weak-reference block.
Module::Extra& Module::extra() const {
  Extra* existing = extra_.load(std::memory_order_acquire);
  if (existing) return *existing;
  auto created = std::make_unique<Extra>(detail::mutable_of(*this));
  if (!extra_.compare_exchange_strong(existing, created.get(), std::memory_order_acq_rel))
    return *existing;
  return *created.release();
}

const std::shared_ptr<ModuleAnchor>& detail::ModuleAccess::anchor(const Module& m) {
  return get_or_create_extra(m).anchor;
}

void throw_dead_module() {
  fail<RuntimeError>("You are trying to call the hook of a dead Module!");
}

void Module::accept(MemberVisitor& visitor) {
  if (call_flags_.load(std::memory_order_relaxed) & kUnchecked) check();
  ModuleAccess::accept_unchecked(*this, visitor);
}

void ModuleAccess::accept_unchecked(Module& m, MemberVisitor& visitor) {
  const Module::Extra* const extra = ModuleAccess::extra(m);
  if (extra && extra->computed_members) return accept_visible(m, visitor);
  ModuleAccess::visit_members(m, visitor);
  if (!extra) return;
  // Iterates by index, because a visit may register another entry.
  for (std::size_t i = 0; i < extra->entries.size(); ++i) visit_entry(*extra->entries[i], visitor);
}

void ModuleAccess::visit_entry(DynamicEntry& e, MemberVisitor& visitor) {
  switch (e.kind) {
    case DynamicEntry::Kind::parameter:
      return visitor.parameter(detail::tensor_slot<Parameter>(e.name, e.parameter));
    case DynamicEntry::Kind::buffer:
      return visitor.buffer(detail::tensor_slot<Buffer>(e.name, e.buffer));
    case DynamicEntry::Kind::child:
      return visitor.child({e.name, e.child.get(), &e.child, &detail::InShared<Module>::kHolder});
    case DynamicEntry::Kind::plain:
    case DynamicEntry::Kind::member: return;
  }
}

namespace {
thread_local const RecursionGuard* innermost = nullptr;
}

RecursionGuard::RecursionGuard(const Module& module, const char* operation)
    : module_(&module), operation_(operation), outer_(innermost) {
  for (const RecursionGuard* d = outer_; d; d = d->outer_)
    if (d->module_ == module_ && d->operation_ == operation) throw_cycle();
  innermost = this;
}
RecursionGuard::~RecursionGuard() { innermost = outer_; }

void RecursionGuard::throw_cycle() const {
  std::string path(module_->type_name());
  for (const RecursionGuard* d = outer_; d; d = d->outer_) {
    if (d->operation_ != operation_) continue;
    path = std::string(d->module_->type_name()) + " -> " + path;
    if (d->module_ == module_) break;
  }
  fail<RuntimeError>("{}: a module contains itself: {}", operation_, path);
}

}  // namespace taper::nn
