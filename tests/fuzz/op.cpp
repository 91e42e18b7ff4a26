#include <stdexcept>
#include <string>

#include "op_call.h"
#include "ops/kernel/element.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/warning.h"

namespace taper::fuzz {
namespace {

/// Number of elements of all outputs together above which a call is not run.
constexpr std::int64_t kMaxElements = 1 << 18;

std::vector<Tensor> run_call(const OpCall& call, const std::vector<Tensor>& ins,
                             const Tensor* self) {
  const std::vector<OpInput> in(ins.begin(), ins.end());
  std::vector<Tensor> outs(static_cast<std::size_t>(call.op->output_count));
  dispatch(*call.op, call.attributes.get(), in, outs.data(), self);
  return outs;
}

/// Returns true if shape inference accepts the call and its outputs are small.
bool is_small(const OpCall& call) {
  std::vector<Tensor> shapes;
  for (const Tensor& x : call.ins)
    shapes.push_back(x.defined() ? empty(x.shape(), {.dtype = x.dtype(), .device = Device::meta()})
                                 : x);
  std::int64_t elements = 0;
  std::vector<Tensor> outs;
  try {
    outs = run_call(call, shapes, nullptr);
  } catch (const NotImplementedError&) {
    return true;  // shapes that depend on elements
  } catch (const Error& e) {
    check_error(e);
    return false;
  }
  for (const Tensor& out : outs) {
    if (!out.defined()) continue;
    if (out.numel() > kMaxElements) return false;
    elements += out.numel();
  }
  return elements <= kMaxElements;
}

/// Reads all elements, so that the address sanitizer checks views.
void read_elements(const std::vector<Tensor>& tensors) {
  for (const Tensor& t : tensors)
    if (t.defined() && !t.device().is_meta() && t.numel() <= kMaxElements)
      static_cast<void>(t.clone());
}

/// Returns the bytes of the elements of x.
std::string bytes_of_elements(const Tensor& x) {
  if (x.device().is_meta()) return {};
  const Tensor copy = x.detach().contiguous();
  View v;
  Shape scratch;
  resolve(*copy.impl(), LayoutRequest::row_major, v, scratch);
  return {reinterpret_cast<const char*>(v.data),
          static_cast<std::size_t>(v.numel * kernel::element_size(v))};
}

void run_inplace(const OpCall& call) {
  std::vector<Tensor> ins = call.ins;
  if (ins.empty() || !ins[0].defined() || ins[0].device().is_meta()) return;
  const Tensor self = ins[0].clone();
  ins[0] = self;
  const std::string before = bytes_of_elements(self);
  const bool done = attempt([&] { run_call(call, ins, &self); });
  if (!done && bytes_of_elements(self) != before)
    throw std::logic_error("finding: " + std::string(call.op->info.name) +
                           "_ changed its input and failed");
}

/// Computes gradients of the outputs, and gradients of those.
void run_backward(const OpCall& call) {
  std::vector<Tensor> ins = call.ins, leaves;
  for (Tensor& x : ins) {
    if (!x.defined() || !x.is_floating_point()) continue;
    x = x.detach().requires_grad_();
    leaves.push_back(x);
  }
  if (leaves.empty()) return;
  attempt([&] {
    std::vector<Tensor> outs;
    for (const Tensor& out : run_call(call, ins, nullptr))
      if (out.defined() && out.requires_grad()) outs.push_back(out);
    for (int order = 0; order < 2 && !outs.empty(); ++order) {
      std::vector<Tensor> grads;
      for (const Tensor& out : outs) grads.push_back(ones_like(out));
      const std::vector<Tensor> results = autograd::grad(
          outs, leaves, {.grad_outputs = grads, .create_graph = true, .allow_unused = true});
      read_elements(results);
      outs.clear();
      for (const Tensor& g : results)
        if (g.defined() && g.requires_grad()) outs.push_back(g);
    }
  });
}

}  // namespace

void op(Bytes input) {
  auto old = set_warning_handler({});
  manual_seed(0);
  ByteSource source(input);
  const OpCall call = draw_call(source);
  if (is_small(call)) {
    attempt([&] { read_elements(run_call(call, call.ins, nullptr)); });
    run_backward(call);
    if (call.op->info.inplace) run_inplace(call);
  }
  set_warning_handler(std::move(old));
}

}  // namespace taper::fuzz
