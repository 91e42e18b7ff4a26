// describe: class names and arguments of modules.
#include <map>
#include <ostream>

#include "core/check.h"
#include "nn/container/children.h"
#include "nn/registry/class_registry.h"
#include "nn/registry/signature.h"

namespace taper::nn {
namespace {

/// Creates one description per module, even if the module occurs several times.
struct Describer {
  std::map<const Module*, std::shared_ptr<const Description>> descriptions;

  Description describe(const Module& m) {
    const RecursionGuard guard(m, "describe");
    const ModuleSchema* schema = schema_for(m);
    if (!schema)
      fail<RuntimeError>(
          "describe: class '{}' is not registered: write TAPER_REGISTER({}, options...) in a "
          "source file",
          m.type_name(), m.type_name());
    Description d{.name = std::string(schema->name)};
    if (!schema->options) return add_children(m, std::move(d));
    const std::vector<SignatureEntry> signature = parse_signature(schema->signature);
    const Values options = schema->options(m);
    for (std::size_t i = 0; i < options.size(); ++i)
      d.arguments.as_dict().set(signature[i].name, options[i]);
    return d;
  }

  Description add_children(const Module& m, Description d) {
    const Children all(m);
    for (auto child = all.begin(); child != all.end(); ++child)
      d.children.emplace_back(child.entry().name, shared(*child));
    return d;
  }
  std::shared_ptr<const Description> shared(const std::shared_ptr<Module>& m) {
    if (!m) return nullptr;
    auto& d = descriptions[m.get()];
    if (!d) d = std::make_shared<Description>(describe(*m));
    return d;
  }
};

}  // namespace

Description describe(const Module& module) { return Describer().describe(module); }

std::string Description::str() const {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& text) {
    out += (out.empty() ? "" : ", ") + name + "=" + text;
  };
  const std::vector<SignatureEntry> signature = parse_signature(find_schema(name).signature);
  for (const auto& [key, value] : arguments.as_dict()) {
    bool is_default = false;
    for (const SignatureEntry& e : signature)
      is_default = is_default || (e.name == key.as_string() && !e.required && e.fallback == value);
    if (!is_default) add(key.as_string(), value.repr());
  }
  for (const auto& [key, child] : children) add(key, child ? child->str() : "None");
  return name + "(" + out + ")";
}

std::ostream& operator<<(std::ostream& out, const Description& description) {
  return out << description.str();
}

}  // namespace taper::nn
