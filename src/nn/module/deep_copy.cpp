#include "nn/module/deep_copy.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parameter_flag.h"
#include "core/tensor_annotation.h"
#include "nn/module/computed_members.h"
#include "taper/core/detail/uninitialized.h"

namespace taper::nn {
namespace {

/// Returns a dense copy with the same order of dimensions in memory.
Tensor clone_preserving_strides(const Tensor& t) {
  if (t.is_contiguous()) return t.clone();
  std::vector<std::int64_t> order(static_cast<std::size_t>(t.dim())), inverse_order(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return t.stride(a) > t.stride(b); });
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse_order[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return t.permute(order).clone().permute(inverse_order).detach();
}

Tensor clone_elements(const Tensor& t) {
  // An uninitialized parameter has no elements to copy. clone() throws for an uninitialized buffer.
  const LazyKind lazy = lazy_kind(t);
  if (lazy == LazyKind::parameter) return new_uninitialized(lazy, t.dtype(), t.device());
  return lazy == LazyKind::no ? clone_preserving_strides(t.detach()) : t.clone();
}

const void* identity_of(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::list:
    case Value::Kind::tuple:
    case Value::Kind::set: return &v.as_sequence();
    case Value::Kind::dict: return &v.as_dict();
    default: return nullptr;
  }
}

}  // namespace

Tensor DeepCopier::tensor(const Tensor& t, bool grad) {
  Tensor& made = tensors_[t.impl()];
  if (made.defined()) return made;
  made = clone_elements(t).requires_grad_(t.requires_grad());
  set_is_parameter(made, is_parameter(t));
  // The copy of a parameter that is divided among ranks is divided in the same way.
  if (auto object = annotation(t)) set_annotation(made, std::move(object));
  if (grad && t.is_leaf() && t.grad().defined()) made.set_grad(clone_elements(t.grad()));
  return made;
}

std::shared_ptr<Module> DeepCopier::module(const Module& m) {
  auto& made = modules_[&m];
  if (made) return made;
  const std::shared_ptr<Module> copy = made = ModuleAccess::clone_shallow(m);
  deep_copy_members(*copy);
  return copy;
}

Value DeepCopier::value(const Value& v) {
  if (v.is_tensor()) {
    const Tensor copy = tensor(v.as_tensor(), !v.is_parameter());
    return v.is_parameter() ? Value::parameter(copy) : Value(copy);
  }
  if (const std::shared_ptr<Module> shared = shared_module_of(v)) return value_of(module(*shared));
  const void* identity = identity_of(v);
  if (!identity) return v;
  const auto found = containers_.find(identity);
  return found != containers_.end() ? found->second : copy_container(v, identity);
}

// Containers are registered before their elements are copied, because they may contain themselves.
Value DeepCopier::copy_container(const Value& v, const void* identity) {
  if (v.is_list()) {
    const Value copy = containers_[identity] = Value::list();
    for (const Value& item : v.as_sequence()) copy.append(value(item));
    return copy;
  }
  if (v.is_dict()) {
    const Value copy = containers_[identity] = Value::dict();
    const Dict& from = v.as_dict();
    copy.as_dict().set_class_name(from.class_name());
    for (const auto& [key, item] : from) copy.as_dict().set(key, value(item));
    if (from.attributes().is_dict())
      for (const auto& [key, item] : from.attributes().as_dict())
        copy.as_dict().set_attribute(key.as_string(), value(item));
    return copy;
  }
  Values items;
  for (const Value& item : v.as_sequence()) items.push_back(value(item));
  return containers_[identity] = v.with_items(std::move(items));
}

void DeepCopier::deep_copy_members(Module& copy) {
  struct ChildCopier final : MemberVisitor {
    DeepCopier& copier;
    explicit ChildCopier(DeepCopier& c) : copier(c) {}

    void parameter(const ParameterSlot& s) override {
      if (s.value) static_cast<Tensor&>(*s.value) = copier.tensor(*s.value);
    }
    void buffer(const BufferSlot& s) override {
      if (s.value) static_cast<Tensor&>(*s.value) = copier.tensor(*s.value, true);
    }
    void child(const ChildSlot& s) override {
      if (!s.module) return;
      if (s.holder->shared)
        s.holder->put(s.slot, copier.module(*s.module));
      else
        copier.deep_copy_members(*s.module);
    }
  } visitor(*this);
  ModuleAccess::accept_unchecked(copy, visitor);
  // Computed members have no history in the copy; its first call recomputes them.
  if (const auto& computed_members = ModuleAccess::computed_members(copy))
    for (const ComputedMembers::Computed& c : computed_members->computed)
      set_computed_value(copy, c.name, tensor(computed_value(copy, c.name)).detach());
  if (const auto* extra = ModuleAccess::extra(copy))
    for (const auto& e : extra->entries)
      if (e->kind == DynamicEntry::Kind::plain) e->plain = value(e->plain);
}

}  // namespace taper::nn
