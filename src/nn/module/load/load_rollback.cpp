#include "nn/module/load/load_rollback.h"

#include "taper/autograd/grad_mode.h"
#include "taper/core/detail/dematerialize.h"

namespace taper::nn {

void list_local_tensors(Module& m, std::vector<LocalTensor>& list) {
  struct LocalTensorCollector final : MemberVisitor {
    std::vector<LocalTensor>& list;
    bool buffers = false, some_buffers = false;
    explicit LocalTensorCollector(std::vector<LocalTensor>& l) : list(l) {}
    void parameter(const ParameterSlot& s) override {
      if (s.value && !buffers) list.push_back({s.name, *s.value, s});
    }
    void buffer(const BufferSlot& s) override {
      some_buffers = true;
      if (s.value && buffers && s.value->persistent) list.push_back({s.name, *s.value, {}, s});
    }
  } own(list);
  list.clear();
  ModuleAccess::accept(m, own);
  own.buffers = true;
  if (own.some_buffers) ModuleAccess::accept(m, own);
}

void LocalTensor::put(const Tensor& t) const {
  if (is_parameter()) {
    Parameter p = Parameter::none();
    static_cast<Tensor&>(p) = t;
    parameter.put(p);
  } else {
    Buffer b = Buffer::none();
    b = t;
    buffer.put(b);
  }
}

void PendingAssignment::run() const {
  const NoGrad guard;
  if (shapes) {
    if (is_lazy(source)) return;
    materialize(own.value, source.shape(), own.value.dtype(), own.value.device());
  }
  if (assign && swap)
    own.value.set_data(source);
  else if (assign)
    own.put(source);
  else
    own.value.copy_(source);
}

void LoadRollback::record(const PendingAssignment& p) {
  const NoGrad guard;
  const bool swapped = p.assign && p.swap;
  Tensor elements;
  if (swapped)
    elements = p.own.value.detach();
  else if (!p.assign && !is_lazy(p.own.value))
    elements = p.own.value.detach().clone();
  tensors_.push_back({p.own, std::move(elements), swapped, p.shapes});
}

void LoadRollback::record_extra_state(Module& m) {
  if (ModuleAccess::class_info(m).gets_extra_state)
    extra_states_.emplace_back(&m, m.get_extra_state());
}

void LoadRollback::run() {
  const NoGrad guard;
  for (auto before = tensors_.rbegin(); before != tensors_.rend(); ++before)
    if (before->shaped)
      dematerialize(before->own.value,
                    before->own.is_parameter() ? LazyKind::parameter : LazyKind::buffer);
    else if (before->swapped)
      before->own.value.set_data(before->elements);
    else if (before->elements.defined())
      before->own.value.copy_(before->elements);
    else
      before->own.put(before->own.value);
  for (auto extra = extra_states_.rbegin(); extra != extra_states_.rend(); ++extra)
    extra->first->set_extra_state(extra->second);
}

}  // namespace taper::nn
