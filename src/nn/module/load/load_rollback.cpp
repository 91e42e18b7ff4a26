#include "nn/module/load/load_rollback.h"

#include "taper/autograd/grad_mode.h"
#include "taper/core/detail/dematerialize.h"

namespace taper::nn {

void collect_local_tensors(Module& m, std::vector<LocalTensor>& list) {
  struct LocalTensorCollector final : MemberVisitor {
    std::vector<LocalTensor>& list;
    bool buffers = false, has_buffers = false;
    explicit LocalTensorCollector(std::vector<LocalTensor>& l) : list(l) {}
    void parameter(const ParameterSlot& s) override {
      if (s.value && !buffers) list.push_back({s.name, *s.value, s});
    }
    void buffer(const BufferSlot& s) override {
      has_buffers = true;
      if (s.value && buffers && s.value->persistent) list.push_back({s.name, *s.value, {}, s});
    }
  } collector(list);
  list.clear();
  ModuleAccess::accept(m, collector);
  collector.buffers = true;
  if (collector.has_buffers) ModuleAccess::accept(m, collector);
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
    materialize(target.value, source.shape(), target.value.dtype(), target.value.device());
  }
  if (assign && swap)
    target.value.set_data(source);
  else if (assign)
    target.put(source);
  else
    target.value.copy_(source);
}

void LoadRollback::record(const PendingAssignment& p) {
  const NoGrad guard;
  const bool swapped = p.assign && p.swap;
  Tensor elements;
  if (swapped)
    elements = p.target.value.detach();
  else if (!p.assign && !is_lazy(p.target.value))
    elements = p.target.value.detach().clone();
  tensors_.push_back({p.target, std::move(elements), swapped, p.shapes});
}

void LoadRollback::record_extra_state(Module& m) {
  if (ModuleAccess::class_info(m).gets_extra_state)
    extra_states_.emplace_back(&m, m.get_extra_state());
}

void LoadRollback::run() {
  const NoGrad guard;
  for (auto before = tensors_.rbegin(); before != tensors_.rend(); ++before)
    if (before->was_uninitialized)
      dematerialize(before->target.value,
                    before->target.is_parameter() ? LazyKind::parameter : LazyKind::buffer);
    else if (before->swapped)
      before->target.value.set_data(before->elements);
    else if (before->elements.defined())
      before->target.value.copy_(before->elements);
    else
      before->target.put(before->target.value);
  for (auto extra = extra_states_.rbegin(); extra != extra_states_.rend(); ++extra)
    extra->first->set_extra_state(extra->second);
}

}  // namespace taper::nn
