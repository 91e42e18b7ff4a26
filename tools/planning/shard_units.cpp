#include "shard_units.h"

#include <unordered_set>

#include "core/check.h"
#include "core/glob.h"
#include "taper/dist/fully_shard.h"
#include "taper/nn/module.h"
#include "taper/nn/module_dict.h"
#include "taper/nn/module_list.h"
#include "taper/nn/sequential.h"

namespace planning {
namespace {

namespace nn = taper::nn;

bool is_container(nn::Module& m) {
  return m.as<nn::Sequential>() || m.as<nn::ModuleList>() || m.as<nn::ModuleDict>();
}

class UnitFinder {
 public:
  explicit UnitFinder(const std::vector<std::string>& patterns)
      : patterns_(patterns), is_used_(patterns.size()) {}

  std::vector<UnitModule> find(nn::Module& root) {
    units_.push_back({"", &root, {}});
    visit_children(root, "");
    add_parameters(units_[0]);
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      if (!is_used_[i])
        taper::fail<taper::ValueError>("{}: no module with parameters matches '{}'",
                                       root.type_name(), patterns_[i]);
    return std::move(units_);
  }

 private:
  void visit_children(nn::Module& parent, const std::string& prefix) {
    for (const nn::NamedModule& child : parent.named_children()) {
      const std::string path = prefix + child.name;
      UnitModule unit{path, child.module, {}};
      if (is_unit(parent, *child.module, path) && add_parameters(unit))
        units_.push_back(std::move(unit));
      else
        visit_children(*child.module, path + ".");
    }
  }

  bool is_unit(nn::Module& parent, nn::Module& m, const std::string& path) {
    if (m.parameters().empty()) return false;
    if (patterns_.empty()) return is_container(parent) && !is_container(m);
    bool matches = false;
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (!taper::glob_matches(patterns_[i], path)) continue;
      is_used_[i] = matches = true;
    }
    return matches;
  }

  /// Adds the parameters that no unit has. Returns false if there are none.
  bool add_parameters(UnitModule& unit) {
    for (const taper::Tensor& p : unit.module->parameters())
      if (taken_.insert(p.impl()).second) unit.parameters.push_back(p);
    return !unit.parameters.empty();
  }

  const std::vector<std::string>& patterns_;
  std::vector<bool> is_used_;
  std::vector<UnitModule> units_;
  std::unordered_set<const taper::TensorImpl*> taken_;
};

}  // namespace

std::vector<UnitModule> find_units(nn::Module& root, const std::vector<std::string>& patterns) {
  return UnitFinder(patterns).find(root);
}

void shard_units(const std::vector<UnitModule>& units) {
  for (std::size_t i = 1; i < units.size(); ++i) taper::distributed::fully_shard(*units[i].module);
  taper::distributed::fully_shard(*units[0].module);
}

void prefetch_units(const std::vector<UnitModule>& units, const std::vector<std::size_t>& order) {
  for (std::size_t k = 0; k + 1 < order.size(); ++k)
    taper::distributed::set_modules_to_forward_prefetch(*units[order[k]].module,
                                                        {units[order[k + 1]].module});
}

}  // namespace planning
