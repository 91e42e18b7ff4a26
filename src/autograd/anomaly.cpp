#include "autograd/anomaly.h"

#include "core/check.h"
#include "taper/core/warning.h"

namespace taper {
namespace {

/// Formats a call as "middle.bad: Thrower(), called with float32 [2]".
std::string format_call(const ErrorContext& context) {
  return (context.path.empty() ? "" : context.path + ": ") + context.details;
}

}  // namespace

void warn_of_failure(const Node& node) {
  const bool has_context = node.extra && node.extra->forward_context;
  warn("Error detected in " + node.name() + ". Traceback of forward call that caused the error:" +
       (has_context ? "\n  made in " + format_call(*node.extra->forward_context)
                    : std::string("\n  not recorded")));
}

void annotate_error(const Node& node, Error& error) {
  if (!node.extra || !node.extra->forward_context || error.context()) return;
  auto context = std::make_shared<ErrorContext>(*node.extra->forward_context);
  context->text = std::string(error.message()) + "\n  in the backward of " + format_call(*context);
  error.set_context(std::move(context));
}

void check_nan(const Node& node, std::span<const Tensor> results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].defined() && results[i].device().is_cpu() &&
        results[i].detach().isnan().any().item<bool>())
      fail<RuntimeError>("Function '{}' returned nan values in its {}th output.", node.name(), i);
}

}  // namespace taper
