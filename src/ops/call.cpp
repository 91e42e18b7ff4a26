#include "ops/call.h"

#include <algorithm>
#include <deque>

#include "ops/attributes.h"
#include "ops/input_decl.h"

namespace taper {
namespace {

/// Inputs of one call in the op's order. Owns the tensors and scalars that the dispatcher only
/// references.
class NamedInputs {
 public:
  NamedInputs(const OpInfo& op, const Dict& arguments) : op_(op) {
    for_each_input_decl(op.inputs, [&](const InputDecl& decl) { add_input(decl, arguments); });
  }
  std::span<const OpInput> ins() const { return ins_; }
  const Tensor& first() const {
    if (ins_.empty() || !ins_[0].tensor)
      fail<TypeError>("{}_: argument 'input' must be a Tensor", op_.name);
    return *ins_[0].tensor;
  }
  bool has_input(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

 private:
  void add_input(const InputDecl& decl, const Dict& arguments) {
    const bool list = decl.kind == InputDecl::Kind::list,
               optional = decl.kind == InputDecl::Kind::optional;
    const std::string_view name = decl.name;
    names_.push_back(name);
    const Value* value = arguments.find(name);
    if (list && value && (value->is_list() || value->is_tuple())) {
      for (const Value& v : value->as_sequence()) add(v, name);
    } else if (value && !(optional && value->is_none()) && !list) {
      add(*value, name);
    } else if (optional) {
      ins_.emplace_back(tensors_.emplace_back());
    } else {
      fail<TypeError>("{}: missing a required argument: '{}'{}", op_.name, name,
                      list ? ", a list of tensors" : "");
    }
  }
  void add(const Value& v, std::string_view name) {
    if (v.is_tensor())
      ins_.emplace_back(tensors_.emplace_back(v.as_tensor()));
    else if (op_.promote != TypePromotion::none && v.is_bool())
      ins_.emplace_back(numbers_.emplace_back(v.as_bool()));
    else if (op_.promote != TypePromotion::none && v.is_int())
      ins_.emplace_back(numbers_.emplace_back(v.as_int()));
    else if (op_.promote != TypePromotion::none && v.is_float())
      ins_.emplace_back(numbers_.emplace_back(v.as_double()));
    else
      fail<TypeError>("{}: argument '{}' must be a Tensor, not {}", op_.name, name, v.type_name());
  }

  const OpInfo& op_;
  std::deque<Tensor> tensors_;
  std::deque<Scalar> numbers_;
  std::vector<OpInput> ins_;
  std::vector<std::string_view> names_;
};

}  // namespace

std::vector<Tensor> call(std::string_view name, const Dict& arguments) {
  const OpDescriptor* descriptor = find_op(name);
  const bool in_place = !descriptor && name.ends_with('_');
  if (in_place) descriptor = find_op(name.substr(0, name.size() - 1));
  if (!descriptor || (in_place && !descriptor->info.inplace))
    fail<KeyError>("call: unknown op '{}'", name);
  const NamedInputs inputs(descriptor->info, arguments);
  Attributes attributes(*descriptor);
  for (const auto& [key, value] : arguments)
    if (!inputs.has_input(key.as_string())) attributes.set(key.as_string(), value);
  std::vector<Tensor> outs(static_cast<std::size_t>(descriptor->output_count));
  dispatch(*descriptor, attributes.get(), inputs.ins(), outs.data(),
           in_place ? &inputs.first() : nullptr);
  return outs;
}

}  // namespace taper
