// Tables and results of the sweep.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "ops/op.h"
#include "sweep/inputs.h"
#include "sweep/sweep.h"

namespace taper::bench {
namespace {

using Results = std::vector<SweepResult>;

/// Geometric mean of ratios.
struct Mean {
  double logarithms = 0;
  int count = 0;
  void add(double ratio) { logarithms += std::log(ratio), ++count; }
  double value() const { return count ? std::exp(logarithms / count) : std::nan(""); }
};

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  else
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  return text;
}

std::string ratio_text(double ratio) {
  char text[32] = "-";
  if (!std::isnan(ratio)) std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

bool contains_any(const std::string& text, const std::vector<std::string>& words) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return text.find(word) != std::string::npos;
         });
}

std::string description(const SweepResult& r) {
  return r.row->expression + "  " + r.row->inputs + (r.dtype == "f32" ? "" : " " + r.dtype);
}

/// Prints a line per result: times and ratio.
void print_line(const SweepResult& r) {
  std::printf("%d %-13s %-4s %-4s %10s %10s %6s  %s%s\n", r.row->tier, r.family.c_str(),
              kSweepSizeNames[r.size], r.backward ? "grad" : "", time_text(r.ours).c_str(),
              time_text(r.baseline).c_str(), ratio_text(r.ratio).c_str(), description(r).c_str(),
              r.problem.empty() ? "" : ("  PROBLEM: " + r.problem).c_str());
  std::fflush(stdout);
}

// Means by family, and "all", per size.
std::map<std::string, std::vector<Mean>> means_of(const Results& results) {
  std::map<std::string, std::vector<Mean>> means;
  for (const SweepResult& r : results)
    if (r.ratio > 0)
      for (const std::string& key : {std::string("all"), r.family}) {
        means[key].resize(kSweepSizes);
        means[key][static_cast<std::size_t>(r.size)].add(r.ratio);
      }
  return means;
}

// The op that is slowest relative to the baseline in a tier; decompositions have their own budget.
const SweepResult* worst_of(const Results& results, int tier, bool decompositions) {
  const SweepResult* worst = nullptr;
  for (const SweepResult& r : results)
    if (r.row->tier == tier && (r.family == "decomposition") == decompositions &&
        (!worst || r.ratio > worst->ratio))
      worst = &r;
  return worst;
}

void print_worst(const char* what, const SweepResult* r) {
  if (r)
    std::printf("worst of %-22s %6.2f  %s %s %s\n", what, r->ratio, kSweepSizeNames[r->size],
                r->backward ? "grad" : "", description(*r).c_str());
}

}  // namespace

void print_summary(const Results& results) {
  std::printf("\ngeometric mean of the ratios%10s %6s %6s\n", kSweepSizeNames[0],
              kSweepSizeNames[1], kSweepSizeNames[2]);
  for (const auto& [family, means] : means_of(results))
    std::printf("%-30s %7s %6s %6s   (%d)\n", family.c_str(), ratio_text(means[0].value()).c_str(),
                ratio_text(means[1].value()).c_str(), ratio_text(means[2].value()).c_str(),
                means[0].count + means[1].count + means[2].count);
  std::printf("\n");
  print_worst("tier 1", worst_of(results, 1, false));
  print_worst("tier 2", worst_of(results, 2, false));
  print_worst("tier 3", worst_of(results, 3, false));
  print_worst("decompositions, tier 2", worst_of(results, 2, true));
  print_worst("decompositions, tier 3", worst_of(results, 3, true));
  std::vector<const SweepResult*> by_ratio;
  for (const SweepResult& r : results) by_ratio.push_back(&r);
  std::sort(by_ratio.begin(), by_ratio.end(),
            [](const SweepResult* a, const SweepResult* b) { return a->ratio > b->ratio; });
  std::printf("\nworst twenty\n");
  for (std::size_t k = 0; k < std::min<std::size_t>(20, by_ratio.size()); ++k)
    print_line(*by_ratio[k]);
  for (const SweepResult& r : results)
    if (!r.problem.empty())
      std::printf("problem: %s: %s\n", description(r).c_str(), r.problem.c_str());
}

void write_json(const Results& results, const std::string& version, const std::string& path) {
  nlohmann::ordered_json j;
  j["baseline"] = version;
  for (const auto& [family, means] : means_of(results))
    for (std::size_t size = 0; size < kSweepSizes; ++size)
      if (means[size].count > 0)
        j["geometric_means"][family][kSweepSizeNames[size]] = means[size].value();
  j["results"] = nlohmann::ordered_json::array();
  for (const SweepResult& r : results) {
    nlohmann::ordered_json one;
    one["tier"] = r.row->tier, one["family"] = r.family, one["op"] = r.row->expression;
    one["inputs"] = r.row->inputs, one["dtype"] = r.dtype, one["size"] = kSweepSizeNames[r.size];
    one["gradients"] = r.backward, one["ours"] = r.ours, one["baseline"] = r.baseline;
    one["ratio"] = r.ratio;
    if (!r.problem.empty()) one["problem"] = r.problem;
    j["results"].push_back(std::move(one));
  }
  std::ofstream out(path);
  out << j.dump(1) << '\n';
  if (!out.flush()) throw std::runtime_error("bench: cannot write " + path);
}

void run_sweep(const SweepOptions& options, Baseline& baseline) {
  using FamilyRows = SweepFamily (*)();
  constexpr FamilyRows kFamilies[] = {
      arithmetic_rows, elementary_rows, comparison_rows,    activation_rows, reduction_rows,
      scan_rows,       sort_rows,       normalization_rows, loss_rows,       indexing_rows,
      joining_rows,    rearrange_rows,  creation_rows,      random_rows,     pooling_rows,
      spatial_rows,    product_rows,    convolution_rows,   special_rows,    decomposition_rows};
  std::vector<SweepFamily> families;
  for (const FamilyRows rows : kFamilies) families.push_back(rows());
  const std::vector<std::string> filter = words_of(options.filter), sizes = words_of(options.sizes);
  set_num_threads(options.threads);
  std::printf("baseline: %s, %d threads\n", baseline.version().c_str(), options.threads);
  std::printf("t %-13s %-4s %-4s %10s %10s %6s  %s\n", "family", "size", "", "taper", "baseline",
              "ratio", "op");
  Results results;
  std::set<std::string> ops;
  for (int size = 0; size < kSweepSizes; ++size) {
    if (!contains_any(kSweepSizeNames[size], sizes)) continue;
    for (const SweepFamily& family : families)
      for (const SweepRow& row : family.rows) {
        if (size >= row.size_count || !contains_any(family.name + ": " + row.expression, filter))
          continue;
        std::istringstream dtypes(row.dtypes);
        for (std::string dtype; dtypes >> dtype;)
          for (SweepResult& r :
               measure_row(family, row, dtype, size, baseline, options.threads, ops)) {
            print_line(r);
            results.push_back(std::move(r));
          }
      }
  }
  print_summary(results);
  if (filter.empty())
    for (const OpDescriptor* op : all_ops())
      if (!ops.contains(std::string(op->info.name)))
        std::printf("not measured: %s\n", std::string(op->info.name).c_str());
  if (!options.json.empty()) write_json(results, baseline.version(), options.json);
}

}  // namespace taper::bench
