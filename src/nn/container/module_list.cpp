#include "taper/nn/module_list.h"

#include "nn/container/arguments.h"
#include "nn/container/children.h"
#include "nn/module/indent.h"

namespace taper::nn {

TAPER_DETAIL_LAYER_CLASS(ModuleList) {}

ModuleList::ModuleList(std::initializer_list<detail::ModuleElement> modules) {
  for (const detail::ModuleElement& m : modules) append_shared(m.module);
}

ModuleList ModuleList::operator[](const Slice& slice) const {
  ModuleList result;
  for (const NamedChild& c : children_in(slice)) result.append(c.module);
  return result;
}

ModuleList ModuleList::pop(const Slice& slice) {
  ModuleList removed = (*this)[slice];
  erase(slice);
  return removed;
}

std::string ModuleList::str() const {
  const RecursionGuard guard(*this, "str");
  struct RepeatedChild {
    std::size_t first, count;
    std::string text;
  };
  std::vector<RepeatedChild> runs;
  std::size_t i = 0;
  for (const auto& child : Children(*this)) {
    std::string text = child ? child->str() : "None";
    if (!runs.empty() && runs.back().text == text)
      ++runs.back().count;
    else
      runs.push_back({i, 1, std::move(text)});
    ++i;
  }
  std::string out = std::string(type_name()) + "(";
  if (runs.empty()) return out + ")";
  for (const RepeatedChild& r : runs) {
    std::string line = "(" + std::to_string(r.first);
    if (r.count > 1) line += "-" + std::to_string(r.first + r.count - 1);
    line += "): ";
    if (r.count > 1) line += std::to_string(r.count) + " x ";
    out += "\n  " + indent_continuation_lines(line + r.text);
  }
  return out + "\n)";
}

Tensor ModuleList::call_tensor(const Tensor&) { detail::throw_no_forward(*this); }
Value ModuleList::forward_values(Values&) { detail::throw_no_forward(*this); }

const ModuleSchema& module_schema(const ModuleList*) {
  static constexpr ModuleSchema schema =
      container_schema<ModuleList>("ModuleList", "modules=None", [](const Arguments& a) {
        ModuleList made;
        if (a["modules"].is_none()) return made;
        if (!a["modules"].is_list() && !a["modules"].is_tuple()) a.reject("modules", "a list");
        for (const Value& module : a["modules"].as_sequence()) made.append(child_of(module));
        return made;
      });
  return schema;
}

}  // namespace taper::nn
