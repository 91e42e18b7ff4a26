// Pruning: application, removal and combination of pruning methods.
#include "taper/nn/utils/prune.h"

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/utils/prune_text.h"
#include "taper/core/factory.h"
#include "taper/nn/utils/convert_parameters.h"

namespace taper::nn::utils::prune {
namespace {

/// Computes a pruned tensor: the product of `<name>_orig` and `<name>_mask`. The method is
/// immutable, because copies of the module share it.
struct MaskedComputation final : MemberComputation {
  explicit MaskedComputation(PruningMethod m) : method(std::move(m)) {}
  Tensor compute(Module& m) const override { return method->apply_mask(m); }
  PruningMethod method;
};

PruningMethod method_of(const Module& m, std::string_view name) {
  const auto* product = dynamic_cast<const MaskedComputation*>(computation_of(m, name).get());
  return product ? product->method : nullptr;
}

std::string original(std::string_view name) { return std::string(name) + "_orig"; }
std::string mask_name(std::string_view name) { return std::string(name) + "_mask"; }

/// Returns a new container of the previous methods followed by `method`.
PruningMethod append_method(const PruningMethod& before, PruningMethod method) {
  auto all = std::make_shared<PruningContainer>();
  all->tensor_name = before->tensor_name;
  if (const auto* existing_container = dynamic_cast<const PruningContainer*>(before.get()))
    for (const PruningMethod& m : *existing_container) all->add_pruning_method(m);
  else
    all->add_pruning_method(before);
  all->add_pruning_method(std::move(method));
  return all;
}

void check_scores(const Tensor& scores, const Shape& shape, const std::string& of) {
  if (scores.defined() && scores.shape() != shape)
    fail<AssertionError>("importance_scores should have the same shape as {}, got {} vs {}", of,
                         size_text(scores.shape()), size_text(shape));
}

/// Returns the parameter `name`, which is to be pruned for the first time. Throws TypeError if it
/// is not a parameter and KeyError if its pruned names are in use.
Tensor parameter_of(Module& m, std::string_view name) {
  const Attribute found = ModuleAccess::find_attribute(m, name);
  if (!found.parameter)
    fail<TypeError>("prune: '{}' of {} is not a Parameter", name, m.type_name());
  for (const std::string& reserved_name : {original(name), mask_name(name)})
    if (m.has_attr(reserved_name)) fail<KeyError>("attribute '{}' already exists", reserved_name);
  return *found.parameter;
}

}  // namespace

std::int64_t BasePruningMethod::channel_dim() const {
  fail<AttributeError>(
      "Pruning methods of PRUNING_TYPE \"structured\" need to have the attribute `dim` defined.");
}

Tensor BasePruningMethod::prune(const Tensor& t, const Tensor& default_mask,
                                const Tensor& scores) const {
  check_scores(scores, t.shape(), "tensor t");
  return t * compute_mask(scores.defined() ? scores : t,
                          default_mask.defined() ? default_mask : ones_like(t));
}

Tensor BasePruningMethod::apply_mask(Module& m) const {
  if (tensor_name.empty()) fail<AssertionError>("Module {} has to be pruned", m.str());
  const Tensor orig = m.get_parameter(original(tensor_name));
  return m.get_buffer(mask_name(tensor_name)).to(orig.dtype()) * orig;
}

PruningContainer::PruningContainer(PruningMethod first) {
  if (first) tensor_name = first->tensor_name;
  add_pruning_method(std::move(first));
}

void PruningContainer::add_pruning_method(PruningMethod method) {
  if (!method) fail<TypeError>("prune: got a null method, expected a BasePruningMethod");
  if (method->tensor_name != tensor_name)
    fail<ValueError>(
        "Can only add pruning methods acting on the parameter named '{}' to PruningContainer. "
        "Found '{}'",
        tensor_name, method->tensor_name);
  methods_.push_back(std::move(method));
}

Tensor PruningContainer::compute_mask(const Tensor& t, const Tensor& mask) const {
  if (methods_.empty()) fail<ValueError>("PruningContainer: container is empty");
  const BasePruningMethod& method = *methods_.back();
  const Tensor result = mask.to(t.dtype());
  switch (method.pruning_type()) {
    case PruningType::global: return method.compute_mask(t, mask).to(t.dtype());
    case PruningType::unstructured: {
      const Tensor unpruned = mask.eq(1);
      const Tensor partial_mask =
          method.compute_mask(t.masked_select(unpruned), mask.masked_select(unpruned))
              .to(t.dtype());
      return result.masked_scatter(unpruned, partial_mask);
    }
    case PruningType::structured: break;
  }
  const std::int64_t dim = method.channel_dim();
  const auto at = wrap_index(dim, t.dim());
  if (!at) fail<IndexError>("Index is out of bounds for tensor with dimensions {}", t.dim());
  Shape others;
  for (std::int64_t d = 0; d < t.dim(); ++d)
    if (d != *at) others.push_back(d);
  const Tensor sums = others.empty() ? mask : mask.sum(Dims(others));
  const Tensor unpruned = sums.ne(0).nonzero().view({-1});
  const Tensor partial_mask =
      method.compute_mask(t.index_select(*at, unpruned), mask.index_select(*at, unpruned));
  return result.index_copy(*at, unpruned, partial_mask.to(t.dtype()));
}

PruningMethod apply(Module& m, std::string_view name, PruningMethod method, const Tensor& scores) {
  if (!method) fail<TypeError>("prune: got a null method, expected a BasePruningMethod");
  const NoGrad guard;
  method->tensor_name = std::string(name);
  const PruningMethod before = method_of(m, name);
  const Tensor there = before ? computed_value(m, name) : parameter_of(m, name);
  check_scores(scores, there.shape(), "parameter " + std::string(name) + " of " + m.str());
  if (before) method = append_method(before, std::move(method));
  const Tensor old_mask =
      before ? m.get_buffer(mask_name(name)).detach().clone() : ones_like(there);
  const Tensor mask =
      method->compute_mask(scores.defined() ? scores.detach() : there.detach(), old_mask).detach();
  auto product = std::make_shared<MaskedComputation>(method);
  if (before) {
    set_computation(m, name, std::move(product));
  } else {
    (void)register_computed_member(m, name, std::move(product));
    m.register_parameter(original(name), Parameter::of(there));
  }
  m.register_buffer(mask_name(name), mask);
  const EnableGrad recording;
  (void)recompute(m, name);
  return method;
}

void global_unstructured(const std::vector<Target>& targets, const PruningMethod& method) {
  if (!method) fail<TypeError>("prune: got a null method, expected a BasePruningMethod");
  if (method->pruning_type() != PruningType::unstructured)
    fail<TypeError>(
        "Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found a method of "
        "type {}",
        method->pruning_type() == PruningType::structured ? "structured" : "global");
  const NoGrad guard;
  std::vector<Tensor> scores, masks;
  for (const Target& t : targets) {
    const Tensor there = t.module.get_attr(t.name).as_tensor();
    check_scores(t.importance_scores, there.shape(),
                 "parameter " + t.name + " of " + t.module.str());
    scores.push_back(t.importance_scores.defined() ? t.importance_scores : there);
    masks.push_back(t.module.has_attr(mask_name(t.name)) ? t.module.get_buffer(mask_name(t.name))
                                                         : ones_like(there));
  }
  PruningContainer container(method);
  const Tensor mask =
      container.compute_mask(parameters_to_vector(scores), parameters_to_vector(masks));
  std::int64_t at = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::int64_t count = masks[i].numel();
    apply<CustomFromMask>(targets[i].module, targets[i].name,
                          mask.narrow(0, at, count).view(masks[i].shape()));
    at += count;
  }
}

void remove_pruning(Module& m, std::string_view name) {
  const PruningMethod method = method_of(m, name);
  if (!method)
    fail<ValueError>("Parameter '{}' of module {} has to be pruned before pruning can be removed",
                     name, m.str());
  const NoGrad guard;
  const Tensor orig = m.get_parameter(original(name));
  orig.set_data(method->apply_mask(m));
  m.del_attr(original(name));
  m.del_attr(mask_name(name));
  remove_computed_member(m, name, orig);
}

bool is_pruned(const Module& module) {
  bool found = false;
  module.for_each_module([&](const Module& m) {
    if (const auto& computed_members = ModuleAccess::computed_members(m))
      for (const auto& c : computed_members->computed)
        found = found || dynamic_cast<const MaskedComputation*>(c.computation.get());
  });
  return found;
}

}  // namespace taper::nn::utils::prune
