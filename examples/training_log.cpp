// Event files for TensorBoard, tables of numbers, a progress bar, and a report.
// examples/python/training_log.py prints the same output.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <taper/taper.h>
#include <taper/train/csv_logger.h>
#include <taper/train/event_file_reader.h>
#include <taper/train/html_report.h>
#include <taper/train/progress_bar.h>
#include <taper/train/summary_writer.h>

using namespace taper;

void write_summaries(const std::string& folder, const std::vector<double>& losses) {
  train::SummaryWriter writer(folder);
  std::int64_t step = 0;
  for (const double loss : losses) writer.add_scalar("loss/train", loss, step++);
  writer.add_scalars("accuracy", Value::dict({{"train", 0.75}, {"valid", 0.5}}), 3);
  writer.add_histogram("weight", arange(6.0), 3);
  writer.add_image("image", linspace(0, 1, 12).reshape({1, 3, 4}), 3);
  writer.add_text("config", "lr = 0.1");
  writer.add_hparams(Value::dict({{"lr", 0.1}, {"optimizer", "SGD"}}),
                     Value::dict({{"hparam/loss", losses.back()}}), {.run_name = "trial"});
  writer.close();
}

void read_summaries(const std::string& folder) {
  const auto scalars = train::read_scalars(folder);
  for (const train::ScalarEvent& event : scalars.at("loss/train"))
    std::cout << event.step << ' ' << event.value << '\n';
}

void write_table(const std::string& path, const std::vector<double>& losses) {
  train::CsvLogger log(path, {.columns = {"loss", "lr"}});
  std::int64_t step = 0;
  for (const double loss : losses) log.log(step++, Value::dict({{"loss", loss}, {"lr", 0.1}}));
  log.close();
}

void show_progress(const std::vector<double>& losses) {
  constexpr std::int64_t kBatchSize = 64;
  train::ProgressBar bar({.description = "epoch 1/1", .total = std::ssize(losses)});
  for (const double loss : losses) bar.update(kBatchSize, {{"loss", loss}});
}

void write_report(const std::string& path, const std::vector<double>& losses) {
  train::HtmlReport report("LeNet on digits", "3 steps, SGD");
  report.add_heading("Training");
  report.add_chart("Loss", {{"train", {0, 1, 2}, losses}}, {.log_y = true});
  report.add_heading("Result");
  report.add_confusion("Confusion of the test data", tensor({{9, 1}, {2, 8}}), {"one", "seven"});
  report.add_images("Worst mistakes", rand({2, 1, 8, 8}), {"one as seven", "seven as one"});
  report.add_histograms("Weights", {{"conv1.weight", randn({6, 25})}});
  report.add_values("Options", {{"lr", "0.1"}, {"batch", "64"}});
  report.save(path);
}

int main() {
  const std::vector<double> losses = {1.5, 0.75, 0.375};
  std::filesystem::remove_all("runs");
  write_summaries("runs/first", losses);
  read_summaries("runs/first");
  write_table("runs/first/log.csv", losses);
  std::cout << std::ifstream("runs/first/log.csv").rdbuf();
  show_progress(losses);
  write_report("runs/first/report.html", losses);
}
