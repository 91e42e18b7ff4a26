// Modules of every class pickled by Python, rebuilt and written again.
// scripts/golden/whole_modules.py creates the file and also checks the written file in Python.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>

#include "nets.h"
#include "support/temp_dir.h"
#include "taper/io/load.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"
#include "taper/nn/nn.h"
#include "taper/nn/python_interop.h"
#include "taper_paths.h"

namespace {

using taper::test::TempDir;

using namespace nets;
using Kind = Value::Kind;

const Value& cases() {
  static const Value all = load(TAPER_TEST_DATA "/whole_modules.pt");
  return all;
}

/// Returns a description of the first difference between two values in kind, order or contents; an
/// empty string if they are equal. Compares the elements of tensors only if `elements` is true.
std::string difference(const Value& a, const Value& b, bool elements, const std::string& path) {
  const auto differ = [&] {
    return path + ": " + a.repr().substr(0, 300) + " and " + b.repr().substr(0, 300);
  };
  const auto each = [&](const Values& x, const Values& y) {
    std::string found = x.size() == y.size() ? "" : differ();
    for (std::size_t i = 0; i < x.size() && found.empty(); ++i)
      found = difference(x[i], y[i], elements, path + "[" + std::to_string(i) + "]");
    return found;
  };
  if (a.kind() != b.kind()) return differ();
  switch (a.kind()) {
    case Kind::tensor: {
      const Tensor &x = a.as_tensor(), &y = b.as_tensor();
      const bool same = x.dtype() == y.dtype() && x.shape() == y.shape() &&
                        x.requires_grad() == y.requires_grad() &&
                        a.is_parameter() == b.is_parameter() &&
                        (!elements || equal(x.detach(), y.detach()));
      return same ? "" : differ();
    }
    case Kind::list:
    case Kind::tuple: return each(a.as_sequence(), b.as_sequence());
    case Kind::dict: {
      Values x, y;
      for (const auto& [key, v] : a.as_dict()) x.push_back(key);
      for (const auto& [key, v] : b.as_dict()) y.push_back(key);
      if (std::string found = each(x, y); !found.empty()) return found;
      for (const auto& [key, v] : a.as_dict())
        if (auto found = difference(v, *b.find(key), elements, path + "." + key.as_string());
            !found.empty())
          return found;
      return a.as_dict().class_name() == b.as_dict().class_name() ? "" : differ();
    }
    case Kind::opaque: {
      const Opaque &x = a.as_opaque(), &y = b.as_opaque();
      if (!(x.callable == y.callable) || x.is_new != y.is_new) return differ();
      if (auto found = difference(x.arguments, y.arguments, elements, path + "()"); !found.empty())
        return found;
      return difference(x.state, y.state, elements, path);
    }
    default: return a == b ? "" : differ();
  }
}

/// Returns the result of the module for copies of the inputs; None if `inputs` is None.
Value run(nn::Module& m, const Value& inputs) {
  if (inputs.is_none()) return {};
  Values args;
  for (const Value& x : inputs.as_list()) args.push_back(x.as_tensor().clone());
  const NoGrad guard;
  return m.call(args);
}

/// Returns the largest relative difference between results; infinite for different shapes.
double distance(const Value& a, const Value& b) {
  if (a.is_none() && b.is_none()) return 0;
  if (a.is_tuple() && b.is_tuple() && a.size() == b.size()) {
    double max = 0;
    for (std::size_t i = 0; i < a.size(); ++i) max = std::max(max, distance(a[i], b[i]));
    return max;
  }
  if (!a.is_tensor() || !b.is_tensor() || a.as_tensor().shape() != b.as_tensor().shape())
    return INFINITY;
  const Tensor x = a.as_tensor().to(float64), y = b.as_tensor().to(float64);
  return x.numel() == 0 ? 0 : ((x - y).abs() / (1 + y.abs())).max().item<double>();
}
// Maximum distance. The results are not equal, because sums are computed in another order than in
// PyTorch.
constexpr double kNear = 1e-5;

/// Creates the module of a case from its class and arguments, as the Python script does. A lazy
/// layer is called once.
std::shared_ptr<nn::Module> made(const Value& c) {
  auto m = nn::make(c["class"].as_string(), {}, c["arguments"]);
  if (c["class"].as_string().starts_with("Lazy")) run(*m, c["inputs"]);
  m->train(c["training"].as_bool());
  return m;
}

std::string name_of(const Value& c) {
  return c["class"].as_string() + " " + c["arguments"].repr().substr(0, 300);
}

// R1.4-05
TEST(WholeModules, RebuildAndRunEveryClass) {
  std::set<std::string> seen;
  for (const Value& c : cases().as_list()) {
    const auto m = nn::from_pickle(c["module"]);
    seen.insert(c["class"].as_string());
    EXPECT_EQ(m->str(), c["text"].as_string());
    EXPECT_EQ(difference(nn::to_pickle(*m), c["module"], true, name_of(c)), "");
    EXPECT_LT(distance(run(*m, c["inputs"]), c["output"]), kNear) << name_of(c);
  }
  std::ifstream rows(TAPER_SOURCE_DIR "/src/nn/registry/layers.inc");
  const std::string macro = "LAYER(";
  std::size_t count = 0;
  for (std::string line; std::getline(rows, line);) {
    if (!line.starts_with(macro)) continue;
    const std::string name = line.substr(macro.size(), line.find(')') - macro.size());
    EXPECT_TRUE(seen.contains(name)) << name << " is not in scripts/golden/whole_modules.py";
    ++count;
  }
  EXPECT_EQ(count, seen.size());
}

TEST(WholeModules, WrittenAttributesMatchPythonForEveryClass) {
  for (const Value& c : cases().as_list())
    if (!c["arguments"].is_none()) {
      EXPECT_EQ(difference(nn::to_pickle(*made(c)), c["module"], false, name_of(c)), "");
    }
}

TEST(WholeModules, RoundTripThroughFile) {
  const char* const wanted = std::getenv("TAPER_WHOLE_MODULES");  // path for the check in Python
  const TempDir dir;
  const std::string path = wanted ? wanted : dir / "x.pt";
  const Value all = Value::list();
  for (const Value& c : cases().as_list()) {
    const auto m = c["arguments"].is_none() ? nn::from_pickle(c["module"]) : made(c);
    const Value entry = c.as_dict().copy();
    entry["module"] = nn::value_of(m);
    entry["text"] = m->str();
    entry["output"] = run(*m->clone_shared(), c["inputs"]);
    all.append(entry);
  }
  save(all, path);
  const Value again = load(path);
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Value c = all[static_cast<std::int64_t>(i)], read = again[static_cast<std::int64_t>(i)];
    const auto m = nn::from_pickle(read["module"]);
    EXPECT_EQ(m->str(), c["text"].as_string());
    EXPECT_EQ(
        difference(read["module"], nn::to_pickle(*nn::module_of(c["module"])), true, name_of(c)),
        "");
    EXPECT_EQ(distance(run(*m, c["inputs"]), c["output"]), 0) << name_of(c);
  }
}

}  // namespace
