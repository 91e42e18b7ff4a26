// Ops support the dtypes that PyTorch supports on the CPU (scripts/golden/op_dtypes.py), except for
// the differences in tests/data/op_dtype_differences.json.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/dtype_table.h"
#include "ops/op_cases.h"
#include "taper_paths.h"

namespace taper::optest {
namespace {

using Json = nlohmann::json;

Json read_json(const std::string& name) {
  std::ifstream file(TAPER_TEST_DATA "/" + name);
  return Json::parse(file);
}

const Json& torch_table() {
  static const Json table = read_json("op_dtypes.json").at("ops");
  return table;
}
const Json& differences() {
  static const Json table = read_json("op_dtype_differences.json");
  return table;
}

std::set<std::string> names_in(const Json& dtypes) {
  std::set<std::string> names;
  for (const Json& name : dtypes) names.insert(name.get<std::string>());
  return names;
}

std::set<std::string> declared_names(const OpDescriptor& op) {
  std::set<std::string> names;
  for (const DType t : all_dtypes())
    if (op.info.dtypes.contains(t)) names.emplace(names_of(t).torch);
  return names;
}

class TorchDtypes : public testing::TestWithParam<const OpDescriptor*> {};

TEST_P(TorchDtypes, EqualDeclaredDtypes) {
  const OpDescriptor& op = *GetParam();
  const std::string name(listed_name(op));
  if (!torch_table().contains(name)) {
    EXPECT_TRUE(differences().at("no_counterpart").contains(name))
        << "add a call to scripts/golden/op_dtypes.py, or the reason why PyTorch does not have the "
           "op to tests/data/op_dtype_differences.json";
    return;
  }
  std::set<std::string> expected = names_in(torch_table().at(name));
  for (const Json& d : differences().at("differences")) {
    if (!names_in(d.at("ops")).contains(name)) continue;
    for (const std::string& t : names_in(d.at("missing"))) EXPECT_EQ(expected.erase(t), 1u) << t;
  }
  EXPECT_EQ(declared_names(op), expected);
}

TEST(TorchDtypesTable, ListsOnlyOps) {
  std::set<std::string> ops;
  for (const OpDescriptor* op : all_ops()) ops.emplace(listed_name(*op));
  for (const auto& [name, dtypes] : torch_table().items()) EXPECT_TRUE(ops.contains(name)) << name;
  for (const auto& [name, reason] : differences().at("no_counterpart").items()) {
    EXPECT_TRUE(ops.contains(name)) << name;
    EXPECT_FALSE(torch_table().contains(name)) << name << " has a counterpart";
    EXPECT_NE(reason.get<std::string>(), "") << name;
  }
  for (const Json& d : differences().at("differences")) {
    EXPECT_NE(d.at("reason").get<std::string>(), "") << d;
    for (const std::string& name : names_in(d.at("ops")))
      EXPECT_TRUE(torch_table().contains(name)) << name;
  }
}

std::string listed_name_of(const testing::TestParamInfo<const OpDescriptor*>& info) {
  return std::string(listed_name(*info.param));
}
INSTANTIATE_TEST_SUITE_P(Ops, TorchDtypes, testing::ValuesIn(all_ops().begin(), all_ops().end()),
                         listed_name_of);

}  // namespace
}  // namespace taper::optest
