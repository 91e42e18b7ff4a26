#include "taper/nn/parameter_list.h"

#include "core/check.h"
#include "nn/container/arguments.h"
#include "nn/container/children.h"
#include "nn/container/element_text.h"

namespace taper::nn {

detail::ParameterElement::ParameterElement(const Value& v)
    : value(v.is_tensor() && !v.is_parameter() ? Value::parameter(Parameter(v.as_tensor())) : v) {}

TAPER_DETAIL_LAYER_CLASS(ParameterList) {}

Tensor ParameterList::call_tensor(const Tensor&) {
  fail<RuntimeError>("ParameterList should not be called.");
}
Value ParameterList::forward_values(Values&) {
  fail<RuntimeError>("ParameterList should not be called.");
}

std::string ParameterList::name_of(std::int64_t i) const {
  return std::to_string(resolve_index(i, size_));
}
Parameter& ParameterList::operator[](std::int64_t i) { return attr<Parameter>(name_of(i)); }
const Parameter& ParameterList::operator[](std::int64_t i) const {
  return attr<Parameter>(name_of(i));
}
Value ParameterList::get(std::int64_t i) const { return get_attr(name_of(i)); }
ParameterList ParameterList::operator[](const Slice& slice) const {
  ParameterList result;
  for (std::size_t i : resolve_slice(slice, size_))
    result.append(get(static_cast<std::int64_t>(i)));
  return result;
}

void ParameterList::set(std::int64_t i, const detail::ParameterElement& element) {
  set_attr(name_of(i), element.value);
}
ParameterList& ParameterList::append(const detail::ParameterElement& element) {
  set_attr(std::to_string(size_), element.value);
  ++size_;
  return *this;
}

const Values& ParameterList::sequence_of(const Value& elements) {
  if (!elements.is_list() && !elements.is_tuple() && !elements.is_set())
    fail<TypeError>("ParameterList.extend should be called with an iterable, but got {}",
                    elements.type_name());
  return elements.as_sequence();
}

Values ParameterList::values() const {
  Values all;
  for (std::size_t i = 0; i < size_; ++i) all.push_back(get(static_cast<std::int64_t>(i)));
  return all;
}

std::string ParameterList::extra_repr() const {
  std::string out;
  std::size_t i = 0;
  for (const Value& v : values()) {
    out += (i ? "\n" : "") + format_element(std::to_string(i), v, [](const Tensor& t) {
             return "torch." + std::string(taper::name_of(t.dtype()));
           });
    ++i;
  }
  return out;
}

const ModuleSchema& module_schema(const ParameterList*) {
  static constexpr ModuleSchema schema = layer_schema<ParameterList>(
      "ParameterList", "container", "values=None",
      [](const Arguments& a) {
        return a["values"].is_none() ? ParameterList() : ParameterList(a["values"]);
      },
      [](const ParameterList& m) -> Values {
        Values all;
        for (const Value& v : m.values()) all.push_back(zeroed_element(v));
        return {Value::list(std::move(all))};
      });
  return schema;
}

}  // namespace taper::nn
