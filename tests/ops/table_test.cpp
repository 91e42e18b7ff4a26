// Checks that docs/ops.md equals the table generated from the declarations of the ops. With
// TAPER_UPDATE=1 in the environment, rewrites the file instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ops/attributes.h"
#include "ops/op_cases.h"
#include "taper_paths.h"

namespace taper {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

std::vector<std::string> arguments_of(const OpDescriptor& op) {
  std::vector<std::string> all;
  std::istringstream inputs{std::string(op.info.inputs)};
  for (std::string word; inputs >> word;) all.push_back(word);
  const Attributes defaults(op);
  const std::string printed = print_op(op, defaults.get());
  const std::string inner = printed.substr(printed.find('(') + 1);
  if (inner.size() > 1) all.push_back(inner.substr(0, inner.size() - 1));
  return all;
}

/// Returns the description of a named set, or the names of the members of any other set.
std::string text_of(DTypeSet set) {
  if (set == DTypeSet::all) return "all";
  if (set == DTypeSet::floating) return "floating-point";
  if (set == DTypeSet::no_bool) return "all but bool";
  std::vector<std::string> names;
  for (const DType t : optest::all_dtypes())
    if (set.contains(t)) names.emplace_back(name_of(t));
  return joined(names);
}

std::string line_of(const OpDescriptor& op) {
  std::vector<std::string> traits;
  if (op.info.view) traits.push_back("view");
  if (op.info.broadcast) traits.push_back("broadcasts");
  if (op.info.inplace) traits.push_back("in place");
  if (op.info.random) traits.push_back("random");
  const std::string dtypes = text_of(op.info.dtypes);
  const std::string kernel = op.info.view ? "" : op.info.has_cpu_kernel ? "optimized" : "reference";
  return "| `" + std::string(op.info.name) + "` | `" + joined(arguments_of(op)) + "` | " +
         std::string(op.info.outputs) + " | " + std::string(op.info.node) + " | " + dtypes + " | " +
         kernel + " | " + joined(traits) + " |\n";
}

std::string table() {
  std::string text =
      "# Ops\n\n"
      "Generated from the declarations in `src/ops` by `TAPER_UPDATE=1 ./dev test "
      "OpDescriptor`.\n\n"
      "- arguments: the inputs, then the attributes with their default values. `?` marks an "
      "optional "
      "input and `...` a list of\n  tensors.\n"
      "- node: the printed name of the autograd node; empty if the op is not differentiable.\n"
      "- dtypes: the supported dtypes of the inputs, after type promotion.\n"
      "- CPU kernel: `reference` if the op only has the scalar reference kernel; empty for "
      "views.\n\n"
      "| op | arguments | outputs | node | dtypes | CPU kernel | properties |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const OpDescriptor* op : all_ops()) text += line_of(*op);
  return text;
}

TEST(OpDescriptor, MatchesDocumentation) {
  const std::string path = TAPER_SOURCE_DIR "/docs/ops.md";
  if (std::getenv("TAPER_UPDATE")) std::ofstream(path) << table();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), table()) << "run TAPER_UPDATE=1 ./dev test OpDescriptor";
}

TEST(OpDescriptor, IsSortedAndFindsEachOp) {
  const auto ops = all_ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(find_op(ops[i]->info.name), ops[i]);
    if (i > 0) { EXPECT_LT(optest::listed_name(*ops[i - 1]), optest::listed_name(*ops[i])); }
  }
}

}  // namespace
}  // namespace taper
