#include "nn/module/load/undo.h"

#include "taper/autograd/grad_mode.h"

namespace taper::nn {

std::vector<OwnTensor> own_tensors(Module& m) {
  struct Own final : Walker {
    std::vector<OwnTensor> parameters, buffers;
    void parameter(const ParameterSlot& s) override {
      if (s.value) parameters.push_back({s.name, *s.value, s});
    }
    void buffer(const BufferSlot& s) override {
      if (s.value && s.value->persistent) buffers.push_back({s.name, *s.value, {}, s});
    }
  } own;
  m.walk(own);
  for (OwnTensor& b : own.buffers) own.parameters.push_back(std::move(b));
  return std::move(own.parameters);
}

void OwnTensor::put(const Tensor& t) const {
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

void Placement::run() const {
  const NoGrad guard;
  if (assign && swap)
    own.value.set_data(source);
  else if (assign)
    own.put(source);
  else
    own.value.copy_(source);
}

void Undo::remember(const Placement& p) {
  const NoGrad guard;
  const bool swapped = p.assign && p.swap;
  Tensor elements;
  if (swapped)
    elements = p.own.value.detach();
  else if (!p.assign)
    elements = p.own.value.detach().clone();
  tensors_.push_back({p.own, std::move(elements), swapped});
}

void Undo::remember_extra_state(Module& m) {
  if (m.class_info().gets_extra_state) extra_states_.emplace_back(&m, m.get_extra_state());
}

void Undo::run() {
  const NoGrad guard;
  for (auto before = tensors_.rbegin(); before != tensors_.rend(); ++before)
    if (before->swapped)
      before->own.value.set_data(before->elements);
    else if (before->elements)
      before->own.value.copy_(before->elements);
    else
      before->own.put(before->own.value);
  for (auto extra = extra_states_.rbegin(); extra != extra_states_.rend(); ++extra)
    extra->first->set_extra_state(extra->second);
}

}  // namespace taper::nn
