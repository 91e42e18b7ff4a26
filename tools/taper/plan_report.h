// Printed forms of the results of taper plan-dist.
#pragma once
#include <string>
#include <vector>

#include "out.h"
#include "plan_check.h"
#include "taper/core/shape.h"

namespace taper::cli {

struct PlanReport {
  struct Row {
    planning::Training training;
    int ranks;
    planning::Prediction prediction;
  };
  std::string model;
  std::vector<taper::Shape> inputs;
  std::string optimizer;
  planning::Cluster cluster;
  planning::RecordedStep step{};
  std::vector<Row> rows{};
};
void print_plan(Out& out, const PlanReport& report, bool as_json);

/// Job whose steps were measured.
struct CheckedJob {
  std::string model;
  std::vector<taper::Shape> inputs;
  int ranks;
  std::string backend;
};
void print_check(Out& out, const CheckedJob& job, const planning::CheckResult& result,
                 bool as_json);

/// Formats shapes as "[8, 3, 64, 64] and [8]".
std::string shapes_text(const std::vector<taper::Shape>& shapes);

}  // namespace taper::cli
