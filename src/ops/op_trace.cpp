#include "ops/op_trace.h"

namespace taper {
namespace {

/// Suspends recording on this thread if the active observer is the given trace.
class RecordingPause {
 public:
  explicit RecordingPause(const OpTrace& record) : observer_(tls.observer) {
    if (observer_ == &record) tls.observer = record.outer;
  }
  ~RecordingPause() { tls.observer = observer_; }
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;

 private:
  Observer* observer_;
};

}  // namespace

OpTrace::OpTrace() { add_observer(*this); }
OpTrace::~OpTrace() { remove_observer(*this); }

int OpTrace::find_slot(const Tensor& t) const {
  const TensorImpl& wanted = impl(t);
  const auto found = slots_.find(wanted.storage.get());
  if (found == slots_.end()) return -1;
  for (const int slot : found->second) {
    const TensorImpl& i = impl(tensors_[static_cast<std::size_t>(slot)]);
    if (i.offset == wanted.offset && i.dtype == wanted.dtype && i.shape == wanted.shape &&
        i.strides == wanted.strides)
      return slot;
  }
  return -1;
}

int OpTrace::slot_of(const Tensor& t) {
  if (const int slot = find_slot(t); slot >= 0) return slot;
  const int new_slot = static_cast<int>(tensors_.size());
  slots_[impl(t).storage.get()].push_back(new_slot);
  tensors_.push_back(t);
  return new_slot;
}

void OpTrace::after(const OpDescriptor& op, const void* attributes, std::span<const OpInput> ins,
                    std::span<const Tensor> outs) {
  Observer::after(op, attributes, ins, outs);
  TracedOp step{&op, Attributes(op, attributes), {}, {}, false};
  for (const OpInput& i : ins) {
    Operand o;
    if (i.scalar)
      o.number = true, o.scalar = *i.scalar;
    else if (i.given())
      o.slot = slot_of(*i.tensor);
    step.ins.push_back(o);
  }
  step.in_place = !ins.empty() && ins[0].impl() && ins[0].impl() == outs[0].impl();
  for (const Tensor& o : outs) step.outs.push_back(o.defined() ? slot_of(o) : -1);
  ops_.push_back(std::move(step));
}

std::vector<Tensor> OpTrace::replay(std::span<const Tensor> tensors, std::span<const Tensor> values,
                                    std::span<const Tensor> wanted) const {
  if (tensors.size() != values.size())
    fail<ValueError>("replay: got {} values for {} tensors", values.size(), tensors.size());
  std::vector<int> wanted_slots;
  for (const Tensor& t : wanted) {
    wanted_slots.push_back(t.defined() ? find_slot(t) : -1);
    if (wanted_slots.back() < 0) fail<ValueError>("replay: requested tensor is not in the record");
  }
  std::vector<Tensor> current = tensors_;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (const int slot = tensors[i].defined() ? find_slot(tensors[i]) : -1; slot >= 0)
      current[static_cast<std::size_t>(slot)] = values[i];
  NoGrad guard;
  const RecordingPause pause(*this);
  for (const TracedOp& step : ops_) {
    std::vector<OpInput> ins;
    for (const Operand& o : step.ins)
      ins.push_back(o.number     ? OpInput(o.scalar)
                    : o.slot < 0 ? OpInput()
                                 : OpInput(current[static_cast<std::size_t>(o.slot)]));
    std::vector<Tensor> outs(step.outs.size());
    dispatch(*step.op, step.attributes.get(), ins, outs.data(),
             step.in_place ? ins[0].tensor : nullptr);
    for (std::size_t i = 0; i < outs.size(); ++i)
      if (step.outs[i] >= 0) current[static_cast<std::size_t>(step.outs[i])] = outs[i];
  }
  std::vector<Tensor> results;
  for (const int slot : wanted_slots) results.push_back(current[static_cast<std::size_t>(slot)]);
  return results;
}

std::string OpTrace::str() const {
  std::string all;
  for (const TracedOp& step : ops_) {
    std::string outs, ins;
    for (const int o : step.outs) outs += (outs.empty() ? "%" : ", %") + std::to_string(o);
    for (const Operand& o : step.ins) {
      if (!ins.empty()) ins += ", ";
      ins += o.number ? o.scalar.str() : o.slot < 0 ? "None" : "%" + std::to_string(o.slot);
    }
    const std::string printed = print_op(*step.op, step.attributes.get());
    const std::size_t open = printed.find('(') + 1;
    const bool needs_comma = printed[open] != ')' && !ins.empty();
    all += outs + " = " + printed.substr(0, open - 1) + (step.in_place ? "_(" : "(") + ins +
           (needs_comma ? ", " : "") + printed.substr(open) + "\n";
  }
  return all;
}

}  // namespace taper
