// Birth, moves and death of modules, and walking them.
#include "nn/module/extra.h"
#include "taper/core/error.h"
#include "taper/nn/clone.h"
#include "taper/nn/ref.h"

namespace taper::nn {

std::atomic<std::uint8_t> Module::global_call_flags{0};

Module::Module(Module&& o) noexcept
    : Tag(o),
      training(o.training),
      call_flags_(o.call_flags_.load(std::memory_order_relaxed)),
      extra_(std::exchange(o.extra_, nullptr)) {
  if (extra_ && extra_->cell) extra_->cell->self = this;
}

Module& Module::operator=(Module&& o) noexcept {
  if (this == &o) return *this;
  if (extra_ && extra_->cell) extra_->cell->self = nullptr;
  delete extra_;
  training = o.training;
  call_flags_ = o.call_flags_.load(std::memory_order_relaxed);
  extra_ = std::exchange(o.extra_, nullptr);
  if (extra_ && extra_->cell) extra_->cell->self = this;
  return *this;
}

Module::~Module() {
  if (!extra_) return;
  if (extra_->cell) extra_->cell->self = nullptr;
  delete extra_;
}

Module::Extra& Module::extra() {
  if (!extra_) extra_ = new Extra;
  return *extra_;
}

const std::shared_ptr<Cell>& Module::cell() {
  Extra& e = extra();
  if (!e.cell) {
    e.cell = std::make_shared<Cell>();
    e.cell->self = this;
  }
  return e.cell;
}

void throw_dead_module() {
  throw RuntimeError("You are trying to call the hook of a dead Module!");
}

void Module::walk(Walker& walker) {
  if (call_flags_.load(std::memory_order_relaxed) & kUnchecked) check();
  ModuleAccess::walk_unchecked(*this, walker);
}

void ModuleAccess::walk_unchecked(Module& m, Walker& walker) {
  m.walk_members(walker);
  if (!m.extra_) return;
  for (const auto& e : m.extra_->entries) {
    switch (e->kind) {
      case NamedEntry::Kind::parameter:
        walker.parameter(detail::tensor_slot<Parameter>(e->name, e->parameter));
        break;
      case NamedEntry::Kind::buffer:
        walker.buffer(detail::tensor_slot<Buffer>(e->name, e->buffer));
        break;
      case NamedEntry::Kind::child:
        walker.child({e->name, e->child.get(), &e->child, &detail::InShared<Module>::kHolder});
        break;
    }
  }
}

namespace {
thread_local const Descent* innermost = nullptr;
}

Descent::Descent(const Module& module, const char* operation)
    : module_(&module), operation_(operation), up_(innermost) {
  std::string path(module.type_name());
  for (const Descent* d = up_; d; d = d->up_) {
    if (d->operation_ != operation) continue;
    path = std::string(d->module_->type_name()) + " -> " + path;
    if (d->module_ == module_)
      throw RuntimeError(std::string(operation) + ": a module contains itself: " + path);
  }
  innermost = this;
}
Descent::~Descent() { innermost = up_; }

}  // namespace taper::nn
