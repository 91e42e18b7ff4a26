#include "plan_report.h"

#include <fmt/format.h>

#include "json.h"
#include "quantity.h"
#include "table.h"
#include "words.h"

namespace taper::cli {
namespace {

using planning::CheckResult, planning::Prediction, planning::RecordedStep;

std::string bytes_text(double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }

std::string rate_text(double bytes_per_second) { return bytes_text(bytes_per_second) + "/s"; }

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string link_text(const planning::Link& link) {
  return fmt::format("latency {}, bandwidth {}", format_seconds(link.latency),
                     rate_text(link.bandwidth));
}

void print_step(Out& out, const RecordedStep& step, const std::string& model,
                const std::vector<taper::Shape>& inputs, const std::string& optimizer) {
  out.print("{}  with input {} per rank\n", out.paint(Color::bold, model), shapes_text(inputs));
  out.print("one process: forward {}, backward {}, {} {}; parameters {} in {}\n",
            format_seconds(step.forward), format_seconds(step.backward), optimizer,
            format_seconds(step.update), bytes_text(static_cast<double>(step.parameter_bytes())),
            format_count(step.units.size(), "unit"));
}

Json json_of_shapes(const std::vector<taper::Shape>& shapes) {
  Json list = Json::array();
  for (const taper::Shape& shape : shapes) list.push_back(json_of(shape));
  return list;
}

Json json_of_link(const planning::Link& link) {
  return {{"latency", link.latency}, {"bandwidth", json_of(link.bandwidth)}};
}

Json json_of_step(const RecordedStep& step) {
  Json units = Json::array(), gradients = Json::array();
  for (const RecordedStep::Unit& u : step.units)
    units.push_back({{"path", u.path},
                     {"bytes", u.bytes()},
                     {"forward", {u.forward_begin, u.forward_end}},
                     {"backward", {u.backward_begin, u.backward_end}}});
  for (const RecordedStep::Gradient& g : step.gradients)
    gradients.push_back({{"name", g.name}, {"bytes", g.parameter.nbytes()}, {"ready", g.ready}});
  return {{"forward", step.forward},
          {"backward", step.backward},
          {"update", step.update},
          {"parameter_bytes", step.parameter_bytes()},
          {"optimizer_state_per_byte", step.state_per_byte},
          {"seconds_per_copied_byte", step.copy},
          {"seconds_per_sharded_byte", {step.shard_forward, step.shard_backward}},
          {"units", units},
          {"gradients", gradients}};
}

Json json_of_prediction(const Prediction& p) {
  return {{"seconds", p.seconds},
          {"efficiency", p.efficiency},
          {"communication_seconds", p.communication},
          {"bytes_sent", p.bytes_sent},
          {"memory_bytes", p.memory}};
}

Json json_of_plan(const PlanReport& r) {
  Json rows = Json::array();
  for (const PlanReport::Row& row : r.rows) {
    Json entry = {{"training", name_of(row.training)}, {"ranks", row.ranks}};
    entry.update(json_of_prediction(row.prediction));
    rows.push_back(entry);
  }
  return {{"model", r.model},
          {"inputs", json_of_shapes(r.inputs)},
          {"optimizer", r.optimizer},
          {"ranks_per_node", r.cluster.ranks_per_node},
          {"network", json_of_link(r.cluster.network)},
          {"inside_node", json_of_link(r.cluster.inside)},
          {"algorithm", name_of(r.cluster.algorithm)},
          {"recorded", json_of_step(r.step)},
          {"predictions", rows}};
}

Json json_of_check(const CheckedJob& job, const CheckResult& result) {
  Json collectives = Json::array(), trainings = Json::array();
  for (const planning::MeasuredCollective& c : result.network.collectives)
    collectives.push_back({{"name", name_of(c.kind)}, {"bytes", c.bytes}, {"seconds", c.seconds}});
  for (const planning::CheckedTraining& t : result.trainings) {
    Json entry = {{"training", name_of(t.training)}, {"measured_seconds", t.measured}};
    entry.update(json_of_prediction(t.prediction));
    trainings.push_back(entry);
  }
  return {{"model", job.model},
          {"inputs", json_of_shapes(job.inputs)},
          {"ranks", job.ranks},
          {"backend", job.backend},
          {"link", json_of_link(result.network.link)},
          {"overlap_rates",
           {{"computation", result.network.rates.computation},
            {"communication", result.network.rates.communication}}},
          {"collectives", collectives},
          {"recorded", json_of_step(result.step)},
          {"trainings", trainings}};
}

}  // namespace

std::string shapes_text(const std::vector<taper::Shape>& shapes) {
  std::string text;
  for (const taper::Shape& shape : shapes) text += (text.empty() ? "" : " and ") + shape.str();
  return text;
}

void print_plan(Out& out, const PlanReport& r, bool as_json) {
  if (as_json) return print_json(out, json_of_plan(r));
  print_step(out, r.step, r.model, r.inputs, r.optimizer);
  out.print("network: {}", link_text(r.cluster.network));
  if (r.cluster.ranks_per_node > 1)
    out.print("; {} ranks per node: {}", r.cluster.ranks_per_node, link_text(r.cluster.inside));
  out.print("; algorithm: {}\n\n", name_of(r.cluster.algorithm));
  Table table({{"Training"},
               {"Ranks", Table::Kind::number},
               {"Step", Table::Kind::number},
               {"Efficiency", Table::Kind::number},
               {"Communication", Table::Kind::number},
               {"Sent per rank", Table::Kind::number},
               {"Memory per rank", Table::Kind::number}});
  for (const PlanReport::Row& row : r.rows) {
    const Prediction& p = row.prediction;
    table.add({std::string(name_of(row.training)), std::to_string(row.ranks),
               format_seconds(p.seconds), share_text(p.efficiency), format_seconds(p.communication),
               bytes_text(p.bytes_sent), bytes_text(p.memory)});
  }
  table.print(out);
}

void print_check(Out& out, const CheckedJob& job, const CheckResult& result, bool as_json) {
  if (as_json) return print_json(out, json_of_check(job, result));
  print_step(out, result.step, job.model, job.inputs, "optimizer");
  const planning::OverlapRates& rates = result.network.rates;
  out.print("{} ranks of {}: {}; at the same time {} of computation, {} of collectives\n\n",
            job.ranks, job.backend, link_text(result.network.link), share_text(rates.computation),
            share_text(rates.communication));
  Table table({{"Training"},
               {"Predicted", Table::Kind::number},
               {"Measured", Table::Kind::number},
               {"Difference", Table::Kind::number},
               {"Communication", Table::Kind::number}});
  for (const planning::CheckedTraining& t : result.trainings)
    table.add({std::string(name_of(t.training)), format_seconds(t.prediction.seconds),
               format_seconds(t.measured),
               fmt::format("{:+.1f} %", 100 * (t.prediction.seconds / t.measured - 1)),
               format_seconds(t.prediction.communication)});
  table.print(out);
}

}  // namespace taper::cli
