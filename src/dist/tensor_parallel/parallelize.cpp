// parallelize_module: resolution of plans, and division of parameters.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/check.h"
#include "core/glob.h"
#include "core/never_destroyed.h"
#include "dist/rank_context.h"
#include "dist/tensor_parallel/style.h"
#include "taper/autograd/grad_mode.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {

Tensor detail::single_tensor(const Values& args, const LayoutContext& at) {
  if (args.empty() || !args[0].is_tensor())
    fail<TypeError>("{}: expected a tensor as the first argument", at.where);
  return args[0].as_tensor();
}

namespace {

/// Styles of the modules of all ranks of the process. The hooks of a module own its tokens.
struct StyledModules {
  struct Entry {
    std::string style;
    std::weak_ptr<void> token;
  };
  std::mutex mutex;
  std::unordered_multimap<const nn::Module*, Entry> entries;
};
StyledModules& styled_modules() {
  static NeverDestroyed<StyledModules> registry;
  return *registry;
}

bool has_style(const nn::Module& module, std::string_view style) {
  StyledModules& registry = styled_modules();
  const std::lock_guard lock(registry.mutex);
  const auto [first, last] = registry.entries.equal_range(&module);
  return std::any_of(first, last, [&](const auto& entry) {
    return entry.second.style == style && !entry.second.token.expired();
  });
}

void record_style(const nn::Module& module, const char* style, const std::shared_ptr<void>& token) {
  StyledModules& registry = styled_modules();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.entries, [](const auto& e) { return e.second.token.expired(); });
  registry.entries.insert({&module, {style, token}});
}

/// Module that an entry of a plan selects.
struct StyledModule {
  std::string path;
  nn::Module* module;
  std::shared_ptr<const detail::StyleRules> rules;
  std::vector<detail::ParameterLayout> parameters{};
};

/// Appends the modules below `module` that match the components of a path.
void select_modules(nn::Module& module, const std::string& at, std::string_view path,
                    const ParallelStyle& style, std::vector<StyledModule>& selected) {
  if (path.empty()) {
    selected.push_back({at, &module, style.rules()});
    return;
  }
  const std::size_t dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  for (const nn::NamedModule& child : module.named_children())
    if (glob_matches(first, child.name))
      select_modules(*child.module, at.empty() ? child.name : at + "." + child.name, rest, style,
                     selected);
}

std::vector<StyledModule> resolve_plan(nn::Module& module, const ParallelPlan& plan) {
  std::vector<StyledModule> modules;
  for (const ParallelEntry& entry : plan) {
    const std::size_t before = modules.size();
    select_modules(module, "", entry.path, entry.style, modules);
    if (modules.size() == before)
      fail<ValueError>("parallelize_module: no module of {} matches the path '{}'",
                       module.type_name(), entry.path);
  }
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const auto is_same = [&](const StyledModule& other) {
      return other.module == modules[i].module &&
             std::string_view(other.rules->name()) == modules[i].rules->name();
    };
    if (has_style(*modules[i].module, modules[i].rules->name()) ||
        std::any_of(modules.begin(), modules.begin() + static_cast<std::ptrdiff_t>(i), is_same))
      fail<RuntimeError>("parallelize_module: module '{}' is {} already", modules[i].path,
                         modules[i].rules->name());
  }
  return modules;
}

/// Parameter of the plan; each object once.
struct PlannedParameter {
  std::string name;
  Tensor parameter;
  Placement placement;
};

std::vector<PlannedParameter> plan_parameters(std::vector<StyledModule>& modules) {
  std::vector<PlannedParameter> planned;
  for (StyledModule& m : modules) {
    m.parameters = m.rules->layouts(*m.module, m.path);
    for (const detail::ParameterLayout& p : m.parameters) {
      const std::string name = m.path.empty() ? p.name : m.path + "." + p.name;
      if (const auto sharding = find_sharding(p.parameter))
        fail<RuntimeError>("parallelize_module: parameter '{}' is divided by {} already", name,
                           sharding->owner());
      const auto found = std::find_if(
          planned.begin(), planned.end(),
          [&](const PlannedParameter& other) { return other.parameter.is_same(p.parameter); });
      if (found == planned.end())
        planned.push_back({name, p.parameter, p.placement});
      else if (found->placement != p.placement)
        fail<ValueError>(
            "parallelize_module: the parameters '{}' and '{}' are the same, but their styles "
            "require {} and {}",
            found->name, name, found->placement.str(), p.placement.str());
    }
  }
  return planned;
}

/// Replaces the data of a parameter by the part of the caller of the values of rank `src`.
std::shared_ptr<const Sharding> divide_parameter(const PlannedParameter& p, const Group& group,
                                                 std::optional<int> src) {
  const NoGrad no_grad;
  const Tensor data = p.parameter.detach();
  const int root = src ? get_global_rank(group, *src) : 0;
  if (p.placement.is_replicate()) {
    if (src) broadcast(data, root, {.group = group});
    return nullptr;
  }
  const auto sharding =
      Sharding::create(p.parameter, p.name, p.placement.dim(), group, kParallelOwner);
  const Tensor mine = sharding->local(data).contiguous().clone();
  if (src) {
    std::vector<Tensor> pieces;
    if (group->rank() == *src)
      pieces = data.split(Shape(piece_sizes(sharding->size(), group->size())), sharding->dim());
    scatter(mine, pieces, root, {.group = group});
  }
  p.parameter.set_grad(Tensor());
  p.parameter.set_data(mine);
  return sharding;
}

/// Shared arguments of the layers of a plan, by their parents.
class SharedArguments {
 public:
  SharedArguments(nn::Module& root, const std::vector<StyledModule>& modules) : root_(root) {
    for (const StyledModule& m : modules)
      if (m.rules->shares_argument() && !m.path.empty()) ++layers_[parent_of(m)].count;
  }

  /// Returns the shared argument of a layer; null if it has no siblings.
  std::shared_ptr<SharedArgument> of(const StyledModule& m) {
    if (!m.rules->shares_argument() || m.path.empty()) return nullptr;
    nn::Module& parent = *parent_of(m);
    Layers& layers = layers_[&parent];
    if (layers.count < 2 || layers.argument) return layers.argument;
    layers.argument = std::make_shared<SharedArgument>();
    parent.register_forward_pre_hook(
        [shared = layers.argument](nn::Module&, Values&) { shared->start_call(); });
    parent.register_forward_hook(
        [shared = layers.argument](nn::Module&, const Values&, Value&) { shared->finish_call(); },
        {.always_call = true});
    return layers.argument;
  }

 private:
  struct Layers {
    int count = 0;
    std::shared_ptr<SharedArgument> argument{};
  };
  nn::Module* parent_of(const StyledModule& m) const {
    const std::size_t dot = m.path.rfind('.');
    return &root_.get_submodule(dot == std::string::npos ? "" : m.path.substr(0, dot));
  }

  nn::Module& root_;
  std::unordered_map<const nn::Module*, Layers> layers_;
};

}  // namespace

void parallelize_module(nn::Module& module, const Group& given, const ParallelPlan& plan,
                        const ParallelizeOptions& options) {
  const Group& group = resolve_group(given);
  if (group->rank() < 0)
    fail<ValueError>("parallelize_module: the caller is not a member of the process group");
  const std::optional<int> src = options.src_data_rank;
  if (src && (*src < 0 || *src >= group->size()))
    fail<ValueError>("parallelize_module: src_data_rank {} is not a rank of a group of {}", *src,
                     group->size());
  std::vector<StyledModule> modules = resolve_plan(module, plan);
  using Shardings = std::vector<std::shared_ptr<const Sharding>>;
  Shardings shardings;
  for (const PlannedParameter& p : plan_parameters(modules))
    shardings.push_back(divide_parameter(p, group, src));
  SharedArguments shared(module, modules);
  for (const StyledModule& m : modules) {
    const auto own = std::make_shared<Shardings>();
    for (const detail::ParameterLayout& p : m.parameters)
      if (auto sharding = find_sharding(p.parameter)) own->push_back(std::move(sharding));
    record_style(*m.module, m.rules->name(), own);
    m.rules->attach(*m.module, {.where = std::string(m.rules->name()) + ": module '" + m.path + "'",
                                .group = group,
                                .shared = shared.of(m),
                                .owned = own});
  }
}

void parallelize_module(nn::Module& module, const DeviceMesh& mesh, const ParallelPlan& plan,
                        const ParallelizeOptions& options) {
  if (mesh.ndim() != 1)
    fail<ValueError>(
        "parallelize_module: expected a mesh of one dimension, got {}; pass get_group(dim) of the "
        "dimension over which parameters are divided",
        mesh.ndim());
  parallelize_module(module, mesh.get_group(0), plan, options);
}

}  // namespace taper::distributed
