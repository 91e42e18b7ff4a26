// Error context: module paths of errors that pass through calls, and of autograd nodes.
#include "nn/module/error_context.h"

#include "core/check.h"
#include "nn/module/tree.h"
#include "taper/core/error.h"
#include "taper/nn/detail/call.h"

namespace taper::nn {

std::string dtype_and_shape(const Tensor& t) {
  return format_message("{} {}", t.dtype(), t.shape());
}

std::vector<const Tensor*> tensors_of(const Values& args) {
  std::vector<const Tensor*> tensors;
  for (const Value& v : args) tensors.push_back(v.is_tensor() ? &v.as_tensor() : nullptr);
  return tensors;
}

std::string path_to(const Module& root, const void* wanted, const std::string& class_name,
                    const std::string& below) {
  std::string path = "<" + class_name + ">";
  bool found = false;
  const NamedOptions options;
  ModuleTraversal(options, true)
      .descend(detail::mutable_of(root), [&](Module& m, std::string_view at) {
        if (&m == wanted && !found) path = at, found = true;
      });
  return below.empty() ? path : ModuleTraversal::join_path(path, below);
}

namespace {

std::string describe_call(const Module& module, const Tensor* const* inputs, std::size_t count) {
  std::string out = children_of(detail::mutable_of(module), true).empty()
                        ? module.str()
                        : std::string(module.type_name());
  const char* separator = ", called with ";
  for (std::size_t i = 0; i < count; ++i) {
    if (!inputs[i] || !inputs[i]->defined()) continue;
    out += separator + dtype_and_shape(*inputs[i]);
    separator = ", ";
  }
  return out;
}

}  // namespace

void detail::add_context(Error& error, const Module& module, const Tensor* const* inputs,
                         std::size_t count) noexcept {
  try {
    const auto& before = error.context();
    // An error from a backward pass already has a context.
    if (before && (!before->module || before->module == &module)) return;
    auto context = std::make_shared<ErrorContext>();
    if (!before) {
      context->details = describe_call(module, inputs, count);
    } else {
      *context = *before;
      context->path = path_to(module, before->module, before->name, before->path);
    }
    context->module = &module;
    context->name = module.type_name();
    context->text = std::string(error.message()) + "\n  in " +
                    (context->path.empty() ? "" : context->path + ": ") + context->details;
    error.set_context(std::move(context));
  } catch (...) {  // best effort: the error itself must propagate
  }
}

AnomalyFrame::AnomalyFrame(HookCall& call) {
  if (!is_anomaly_enabled()) return;
  auto& innermost = taper::detail::current_call_frame();
  frame_.emplace();
  frame_->outer = innermost, frame_->context = Frame::describe, frame_->call = &call;
  innermost = &*frame_;
}
AnomalyFrame::~AnomalyFrame() {
  if (frame_) taper::detail::current_call_frame() = frame_->outer;
}

std::shared_ptr<const ErrorContext> AnomalyFrame::Frame::describe(taper::detail::CallFrame& frame) {
  Frame& self = static_cast<Frame&>(frame);
  if (self.cached_context) return self.cached_context;
  Module* inner = &self.call->module;
  const auto inputs = tensors_of(self.call->args);
  auto context = std::make_shared<ErrorContext>();
  context->details = describe_call(*inner, inputs.data(), inputs.size());
  for (auto* f = static_cast<Frame*>(self.outer); f; f = static_cast<Frame*>(f->outer)) {
    Module* const outer = &f->call->module;
    if (outer == inner) continue;
    context->path = path_to(*outer, inner, std::string(inner->type_name()), context->path);
    inner = outer;
  }
  return self.cached_context = std::move(context);
}

}  // namespace taper::nn
