// taper report: the page of a run, or a comparison of several.
#include <fmt/format.h>

#include <algorithm>

#include "json.h"
#include "options.h"
#include "run_folder.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/train/html_report.h"
#include "words.h"

namespace taper::cli {
namespace {

using train::HtmlReport, train::ReportCurve;

struct ReportOptions {
  std::vector<std::string> runs{};
  std::string output{};
};

ReportCurve epoch_curve(const RunFolder& run, const std::string& name, const std::string& result) {
  ReportCurve curve{name};
  for (const Value& epoch : run.epochs) {
    curve.x.push_back(static_cast<double>(curve.x.size() + 1));
    curve.y.push_back(epoch[result].as_double());
  }
  return curve;
}

/// Returns a column of the log of steps. Of a step that a resumed run repeated, the last row
/// counts.
ReportCurve step_curve(const RunFolder& run, const std::string& name, const char* column) {
  const Tensor steps = run.steps["step"].tensor().to(float64).contiguous(),
               values = run.steps[column].tensor().to(float64).contiguous();
  ReportCurve curve{name};
  for (std::size_t i = static_cast<std::size_t>(steps.numel()); i-- > 0;) {
    const double step = steps.data<double>()[i];
    if (!curve.x.empty() && step >= curve.x.back()) continue;
    curve.x.push_back(step);
    curve.y.push_back(values.data<double>()[i]);
  }
  std::reverse(curve.x.begin(), curve.x.end());
  std::reverse(curve.y.begin(), curve.y.end());
  return curve;
}

std::vector<std::pair<std::string, Tensor>> tensors_of(const Value& dict) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& [name, value] : dict.as_dict())
    if (value.is_tensor() && value.as_tensor().is_floating_point())
      tensors.emplace_back(name.as_string(), value.as_tensor());
  return tensors;
}

void add_classes(HtmlReport& report, const RunFolder& run) {
  report.add_confusion("Confusion of the test data", run.evaluation["confusion"].as_tensor(),
                       run.classes);
  if (const Value images = run.evaluation["images"]; images.is_tensor()) {
    std::vector<std::string> captions;
    for (const Value& caption : Value(run.evaluation["captions"]).as_sequence())
      captions.push_back(caption.as_string());
    report.add_images("Worst mistakes: class as prediction, probability", images.as_tensor(),
                      captions);
  }
}

/// Adds the test examples of a regression in the order of their numbers.
void add_numbers(HtmlReport& report, const RunFolder& run) {
  const Tensor all = run.evaluation["targets"].as_tensor().to(float64), order = argsort(all);
  const Tensor targets = all.index_select(0, order).contiguous(),
               predictions = Value(run.evaluation["predictions"])
                                 .as_tensor()
                                 .to(float64)
                                 .index_select(0, order)
                                 .contiguous();
  const auto curve = [](const std::string& name, const Tensor& values) {
    ReportCurve curve{name};
    for (const double y : values.data<const double>()) {
      curve.x.push_back(static_cast<double>(curve.x.size() + 1));
      curve.y.push_back(y);
    }
    return curve;
  };
  report.add_chart("Numbers of the test data",
                   {curve("target", targets), curve("prediction", predictions)},
                   {.x_label = "row, by target"});
  const Tensor errors = predictions - targets;
  report.add_histograms("Errors", {{"prediction - target", errors}});
  const auto text = [](const Tensor& value) { return fmt::format("{:.4g}", value.item<double>()); };
  report.add_values("Errors",
                    {{"mean absolute error", text(errors.abs().mean())},
                     {"root of the mean squared error", text((errors * errors).mean().sqrt())}});
}

HtmlReport report_on(const RunFolder& run) {
  HtmlReport report(run.name, fmt::format("{} epochs", run.epochs.size()));
  report.add_heading("Training");
  if (!run.epochs.empty()) {
    report.add_chart(
        "Loss", {epoch_curve(run, "train", "train_loss"), epoch_curve(run, "test", "test_loss")},
        {.x_label = "epoch"});
    report.add_chart(run.is_regression() ? "R2" : "Accuracy",
                     {epoch_curve(run, "train", "train_" + run.score()),
                      epoch_curve(run, "test", "test_" + run.score())},
                     {.x_label = "epoch"});
  }
  report.add_chart("Loss of each step", {step_curve(run, "loss", "loss")}, {.log_y = true});
  report.add_chart("Learning rate", {step_curve(run, "learning rate", "lr")});
  if (run.evaluation.is_dict()) {
    report.add_heading("Result");
    run.is_regression() ? add_numbers(report, run) : add_classes(report, run);
  }
  if (run.weights.is_dict()) {
    report.add_heading("Network");
    report.add_histograms("Weights", tensors_of(run.weights));
  }
  if (run.evaluation.is_dict())
    report.add_histograms("Gradients of the last step", tensors_of(run.evaluation["gradients"]));
  report.add_heading("Run");
  report.add_values("Options", run.options);
  if (!run.evaluation.is_dict()) return report;
  const Value machine = run.evaluation["machine"];
  std::vector<std::pair<std::string, std::string>> properties;
  for (const auto& [name, value] : machine.as_dict())
    properties.emplace_back(name.as_string(), text_of(value));
  report.add_values("Machine", properties);
  return report;
}

/// Returns a table with a column per run, whose rows are all options and the last results.
std::vector<std::vector<std::string>> comparison(const std::vector<RunFolder>& runs) {
  std::vector<std::vector<std::string>> rows{{""}};
  const auto table_row = [&](const std::string& name) -> std::vector<std::string>& {
    for (auto& row : rows)
      if (row[0] == name) return row;
    rows.push_back({name});
    rows.back().resize(runs.size() + 1);
    return rows.back();
  };
  rows[0].resize(runs.size() + 1);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    rows[0][i + 1] = runs[i].name;
    for (const std::string& column :
         {"test_" + runs[i].score(), std::string("test_loss"), std::string("train_loss")}) {
      const ReportCurve curve = epoch_curve(runs[i], runs[i].name, column);
      if (!curve.y.empty())
        table_row("last " + column)[i + 1] = fmt::format("{:.4g}", curve.y.back());
    }
    for (const auto& [name, value] : runs[i].options) table_row(name)[i + 1] = value;
  }
  return rows;
}

/// Adds a chart with the curves of all runs whose results have this column.
void add_comparison(HtmlReport& report, const std::string& title,
                    const std::vector<RunFolder>& runs, const std::string& column) {
  std::vector<ReportCurve> curves;
  for (const RunFolder& run : runs) {
    if (!run.epochs.empty() && run.epochs[0].find(column))
      curves.push_back(epoch_curve(run, run.name, column));
  }
  if (!curves.empty()) report.add_chart(title, curves, {.x_label = "epoch"});
}

HtmlReport report_on(const std::vector<RunFolder>& runs) {
  HtmlReport report(fmt::format("Comparison of {} runs", runs.size()));
  add_comparison(report, "Test accuracy", runs, "test_accuracy");
  add_comparison(report, "Test R2", runs, "test_r2");
  add_comparison(report, "Test loss", runs, "test_loss");
  add_comparison(report, "Training loss", runs, "train_loss");
  report.add_table("Options and results", comparison(runs));
  return report;
}

int report(Out& out, const ReportOptions& o, bool as_json) {
  std::vector<RunFolder> runs;
  for (const std::string& run : o.runs) runs.emplace_back(run);
  const std::string path = !o.output.empty()  ? o.output
                           : runs.size() == 1 ? o.runs[0] + "/report.html"
                                              : "comparison.html";
  (runs.size() == 1 ? report_on(runs[0]) : report_on(runs)).save(path);
  if (as_json)
    print_json(out, {{"runs", o.runs}, {"report", path}});
  else
    out.print("Wrote {}.\n", printable(path));
  return 0;
}

}  // namespace

void add_report(Commands& commands) {
  CLI::App& sub = commands.add(
      "report", "write a page about a run, or a comparison of runs",
      "  taper report out\n"
      "  taper report run1 run2 --out comparison.html\n"
      "A run is the output directory of taper train. The page contains all charts and images and\n"
      "opens without a network.");
  const auto o = std::make_shared<ReportOptions>();
  sub.add_option("runs", o->runs, "output directories of taper train")
      ->required()
      ->type_name("DIR...");
  sub.add_option("--out", o->output,
                 "file to write (default: report.html in the directory, or comparison.html)")
      ->type_name("FILE.html");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return report(out, *o, common.json); });
}

}  // namespace taper::cli
