// SequenceParallel, PrepareModuleInput and PrepareModuleOutput.
#include "core/check.h"
#include "dist/tensor_parallel/style.h"

namespace taper::distributed {
namespace {

using detail::ParameterLayout;
using detail::StyleRules;

class SequenceRules final : public StyleRules {
 public:
  explicit SequenceRules(const SequenceParallelOptions& options) : dim_(options.sequence_dim) {}

  const char* name() const override { return "SequenceParallel"; }

  std::vector<ParameterLayout> layouts(const nn::Module& module,
                                       const std::string&) const override {
    std::vector<ParameterLayout> list;
    for (const nn::NamedTensor& p : module.named_parameters())
      list.push_back({p.name, p.value, Replicate()});
    return list;
  }

  void attach(nn::Module& module, const LayoutContext& at) const override {
    // During forward, parameters are replaced by tensors whose gradients are summed over ranks.
    const auto replaced = std::make_shared<std::vector<nn::NamedTensor>>();
    module.register_forward_pre_hook([replaced, at, dim = dim_](nn::Module& m, Values& args) {
      at.checked_dim(detail::single_tensor(args, at), dim);
      for (const nn::NamedTensor& p : m.named_parameters({.remove_duplicate = false})) {
        replaced->push_back(p);
        m.get_parameter(p.name) = nn::Parameter::of(enter_parallel(p.value, at.group));
      }
    });
    module.register_forward_hook(
        [replaced](nn::Module& m, const Values&, Value&) {
          for (const nn::NamedTensor& p : *replaced)
            m.get_parameter(p.name) = nn::Parameter::of(p.value);
          replaced->clear();
        },
        {.always_call = true});
  }

 private:
  std::int64_t dim_;
};

/// Conversions of several tensors.
struct LayoutLists {
  Layouts from, to;
};

LayoutLists checked_lists(const char* style, const Layouts& from, const Layouts& to) {
  if (from.size() != to.size())
    fail<ValueError>("{}: expected as many desired layouts as layouts, got {} and {}", style,
                     to.size(), from.size());
  return {from, to};
}

/// Converts the tensors of a list. Throws ValueError unless there is a layout for each value,
/// except for optional arguments at the end that are absent.
void convert_values(Values& values, const LayoutLists& lists, const LayoutContext& at) {
  std::size_t count = values.size();
  while (count > lists.from.size() &&
         !(values[count - 1].is_tensor() && values[count - 1].as_tensor().defined()))
    --count;
  if (count != lists.from.size())
    fail<ValueError>("{}: expected one layout per value, got {} layouts and {} values", at.where,
                     lists.from.size(), count);
  for (std::size_t i = 0; i < count; ++i)
    if (values[i].is_tensor() && lists.from[i] && lists.to[i])
      values[i] = redistribute(values[i].as_tensor(), *lists.from[i], *lists.to[i], at);
}

class PrepareRules : public StyleRules {
 public:
  explicit PrepareRules(LayoutLists lists) : lists_(std::move(lists)) {}
  std::vector<ParameterLayout> layouts(const nn::Module&, const std::string&) const override {
    return {};
  }

 protected:
  LayoutLists lists_;
};

class PrepareInputRules final : public PrepareRules {
 public:
  using PrepareRules::PrepareRules;
  const char* name() const override { return "PrepareModuleInput"; }

  void attach(nn::Module& module, const LayoutContext& at) const override {
    module.register_forward_pre_hook(
        [lists = lists_, at](nn::Module&, Values& args) { convert_values(args, lists, at); });
  }
};

class PrepareOutputRules final : public PrepareRules {
 public:
  using PrepareRules::PrepareRules;
  const char* name() const override { return "PrepareModuleOutput"; }

  void attach(nn::Module& module, const LayoutContext& at) const override {
    module.register_forward_hook([lists = lists_, at](nn::Module&, const Values&, Value& result) {
      const bool is_sequence = result.is_list() || result.is_tuple();
      Values values = is_sequence ? Values(result.as_sequence()) : Values{result};
      convert_values(values, lists, at);
      result = is_sequence ? result.with_items(std::move(values)) : values[0];
    });
  }
};

}  // namespace

SequenceParallel::SequenceParallel(const SequenceParallelOptions& options)
    : ParallelStyle(std::make_shared<SequenceRules>(options)) {}

PrepareModuleInput::PrepareModuleInput(const PrepareModuleInputOptions& options)
    : ParallelStyle(std::make_shared<PrepareInputRules>(checked_lists(
          "PrepareModuleInput", options.input_layouts, options.desired_input_layouts))) {}

PrepareModuleOutput::PrepareModuleOutput(const PrepareModuleOutputOptions& options)
    : ParallelStyle(std::make_shared<PrepareOutputRules>(checked_lists(
          "PrepareModuleOutput", options.output_layouts, options.desired_output_layouts))) {}

}  // namespace taper::distributed
