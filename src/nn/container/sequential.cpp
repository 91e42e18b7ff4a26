#include "taper/nn/sequential.h"

#include "core/check.h"
#include "nn/container/arguments.h"
#include "nn/container/children.h"
#include "nn/module/type_text.h"

namespace taper::nn {
namespace {

void check_factor(std::int64_t n, const Module& m) {
  if (n <= 0)
    fail<ValueError>("Non-positive multiplication factor {} for <class '{}'>", n,
                     qualified_name(m));
}

}  // namespace

TAPER_DETAIL_LAYER_CLASS(Sequential) {}

Sequential::Sequential(std::initializer_list<detail::ModuleElement> modules) {
  for (const detail::ModuleElement& m : modules) append_shared(m.module);
}
Sequential::Sequential(std::initializer_list<NamedChild> children) {
  for (const NamedChild& c : children) register_module(c.name, c.module);
}
Sequential::Sequential(const std::vector<NamedChild>& children) {
  for (const NamedChild& c : children) register_module(c.name, c.module);
}

Tensor Sequential::forward(const Tensor& input) const {
  Tensor x = called(input);
  for (const auto& child : Children(*this)) {
    if (!child) fail<TypeError>("'NoneType' object is not callable");
    x = ModuleAccess::call_tensor(*child, x);
  }
  return x;
}

Tensor Sequential::call_tensor(const Tensor& input) { return detail::call_typed(*this, input); }

Value Sequential::forward_values(Values& args) {
  if (args.size() != 1) detail::throw_argument_count(*this, args.size(), 1, 1);
  Value x = args[0];
  for (const auto& child : Children(*this)) {
    if (!child) fail<TypeError>("'NoneType' object is not callable");
    x = child->call({x});
  }
  return x;
}

void Sequential::insert_checked(std::int64_t i, std::shared_ptr<Module> module) {
  if (!module)
    fail<TypeError>("module should be of type: <class 'torch.nn.modules.module.Module'>");
  const auto n = static_cast<std::int64_t>(size());
  if (i < -n || i > n) fail<IndexError>("Index out of range: {}", i);
  insert_shared(clip_bound(i, n), std::move(module));
}

Sequential Sequential::pop(const Slice& slice) {
  Sequential removed = (*this)[slice];
  erase(slice);
  return removed;
}

Sequential& Sequential::operator+=(const Sequential& other) {
  append_all(other);
  return *this;
}

Sequential Sequential::operator+(const Sequential& other) const {
  Sequential sum;
  sum.append_all(*this);
  sum.append_all(other);
  return sum;
}

Sequential Sequential::repeated(std::int64_t n) const {
  check_factor(n, *this);
  Sequential all;
  for (std::int64_t i = 0; i < n; ++i) all.append_all(*this);
  return all;
}

Sequential& Sequential::repeat(std::int64_t n) {
  check_factor(n, *this);
  std::vector<std::shared_ptr<Module>> original_children;  // in ascending order of index
  const std::vector<DynamicEntry*> entries = Children(*this).entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string name = std::to_string(i);
    for (const DynamicEntry* e : entries)
      if (e->name == name) original_children.push_back(e->child);
    if (original_children.size() == i) throw_key_error(name);
  }
  for (std::int64_t i = 1; i < n; ++i)
    for (const auto& child : original_children) append_shared(child);
  return *this;
}

const ModuleSchema& module_schema(const Sequential*) {
  static constexpr ModuleSchema schema =
      container_schema<Sequential>("Sequential", "*args", [](const Arguments& a) {
        const Values& args = a["args"].as_tuple();
        if (args.size() == 1 && args[0].is_dict()) return Sequential(named_children(args[0]));
        Sequential result;
        for (const Value& module : args) result.append(child_of(module));
        return result;
      });
  return schema;
}

}  // namespace taper::nn
