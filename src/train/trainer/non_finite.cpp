#include "train/trainer/non_finite.h"

#include <fmt/format.h>

#include <list>
#include <optional>

#include "taper/autograd/grad_mode.h"
#include "taper/core/hook_guard.h"
#include "taper/nn/global_hooks.h"
#include "taper/ops/pointwise.h"

namespace taper::train {
namespace {

std::int64_t count_non_finite(const Tensor& t) {
  if (!t.defined() || !t.is_floating_point() || t.numel() == 0) return 0;
  return t.numel() - t.detach().isfinite().sum().item<std::int64_t>();
}

/// Numbers of elements of the tensors in a value.
struct Elements {
  std::int64_t non_finite = 0, all = 0;

  void add(const Value& value) {
    if (value.is_tensor()) {
      non_finite += count_non_finite(value.as_tensor());
      all += value.as_tensor().numel();
    } else if (value.is_list() || value.is_tuple()) {
      for (const Value& item : value.as_sequence()) add(item);
    } else if (value.is_dict()) {
      for (const auto& [key, item] : value.as_dict()) add(item);
    }
  }
};

struct Finding {
  nn::Module* module = nullptr;
  Elements result;
  bool has_finite_arguments = true;
};

std::string describe(const Finding& found, nn::Module& root) {
  std::string name;
  for (const nn::NamedModule& m : root.named_modules())
    if (m.module == found.module) name = m.name;
  std::string text =
      fmt::format("the first module with a result that is not finite is {} ({}): {} of {} elements",
                  name.empty() ? "the whole module" : "'" + name + "'", found.module->type_name(),
                  found.result.non_finite, found.result.all);
  for (const nn::NamedTensor& p : found.module->named_parameters())
    if (count_non_finite(p.value) > 0)
      return text + fmt::format("; its parameter '{}' is not finite", p.name);
  return text + (found.has_finite_arguments ? "; its arguments and parameters are finite"
                                            : "; its arguments are not finite");
}

}  // namespace

std::string describe_first_non_finite(nn::Module& root, const SharedFunction<Tensor()>& evaluate,
                                      bool only_in_root) {
  const NoGrad guard;
  std::optional<Finding> found;
  const auto inspect = [&](nn::Module& module, const nn::Values& args, nn::Value& result) {
    if (found) return;
    Elements elements;
    elements.add(result);
    if (elements.non_finite == 0) return;
    Elements arguments;
    for (const Value& v : args) arguments.add(v);
    found = Finding{&module, elements, arguments.non_finite == 0};
  };
  std::list<HookGuard> hooks;
  if (only_in_root)
    for (const nn::NamedModule& m : root.named_modules())
      hooks.emplace_back(m.module->register_forward_hook(inspect));
  else
    hooks.emplace_back(nn::register_module_forward_hook(inspect));
  static_cast<void>(evaluate());
  return found ? describe(*found, root) : "the results of all modules are finite";
}

std::string find_non_finite_gradient(nn::Module& root) {
  for (const nn::NamedTensor& p : root.named_parameters())
    if (count_non_finite(p.value.grad()) > 0) return p.name;
  return {};
}

}  // namespace taper::train
