// Initialization of a lazy module in its first call.
#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/module/extra.h"
#include "taper/nn/lazy_module.h"

namespace taper::nn {

bool has_uninitialized_params(const Module& module) {
  struct UninitializedFinder final : MemberVisitor {
    bool lazy = false;
    void parameter(const ParameterSlot& s) override {
      lazy = lazy || (s.value && is_lazy(*s.value));
    }
    void buffer(const BufferSlot& s) override { lazy = lazy || (s.value && is_lazy(*s.value)); }
  } finder;
  ModuleAccess::accept(detail::mutable_of(module), finder);
  return finder.lazy;
}

namespace detail {

void throw_too_few_arguments(const Module& module, std::size_t got, std::size_t min) {
  fail<TypeError>("{}.initialize_parameters() takes {} arguments: got {}", module.type_name(), min,
                  got);
}

void initialize_at_first_call(Module& module, std::string_view becomes, Initialize initialize) {
  ModuleAccess::get_or_create_extra(module).adopts_loaded_shapes = true;
  // Implemented as a hook, which runs however the module is called and which copies of the module
  // share.
  const auto id = std::make_shared<std::uint64_t>(0);
  const std::string name(becomes);
  *id = module
            .register_forward_pre_hook([id, name, initialize](Module& m, Values& args) {
              initialize(m, args);
              if (has_uninitialized_params(m))
                fail<RuntimeError>("module {} has not been fully initialized", m.type_name());
              ModuleAccess::get_or_create_hooks(m).remove_hook(*id);
              ModuleAccess::get_or_create_extra(m).adopts_loaded_shapes = false;
              if (!name.empty()) set_display_name(m, name);
            })
            .id();
}

}  // namespace detail
}  // namespace taper::nn
