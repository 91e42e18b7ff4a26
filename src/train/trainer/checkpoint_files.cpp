#include "train/trainer/checkpoint_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "core/check.h"
#include "io/append_file.h"

namespace taper::train {
namespace {

double steady_minutes() {
  return std::chrono::duration<double, std::ratio<60>>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

CheckpointFiles::CheckpointFiles(const CheckpointOptions& options)
    : options_(options), saved_at_(steady_minutes()) {
  const auto check = [](const char* name, auto value) {
    if (!(value >= 0))
      fail<ValueError>("Trainer: checkpoint.{}: expected >= 0, got {}", name, value);
  };
  check("every_steps", options.every_steps);
  check("every_minutes", options.every_minutes);
  check("keep_best", options.keep_best);
  if (!enabled() && (options.every_steps > 0 || options.every_minutes > 0 || options.keep_best > 0))
    fail<ValueError>("Trainer: checkpoint.folder is empty, but other options of it are set");
}

std::string CheckpointFiles::epoch_name(std::int64_t epoch) {
  return fmt::format("epoch-{:04}.pt", epoch);
}

bool CheckpointFiles::is_due(std::int64_t step) const {
  if (options_.every_steps > 0 && step % options_.every_steps == 0) return true;
  return options_.every_minutes > 0 && steady_minutes() - saved_at_ >= options_.every_minutes;
}

std::vector<std::string> CheckpointFiles::rank(std::vector<BestFile>& best, std::int64_t epoch,
                                               double value, MonitorMode mode) const {
  const auto limit = static_cast<std::size_t>(options_.keep_best);
  if (limit == 0 || std::isnan(value)) return {};
  const auto is_better = [mode](double v, const BestFile& file) {
    return mode == MonitorMode::min ? v < file.value : v > file.value;
  };
  // Of equal values, the earlier epoch ranks first.
  best.insert(std::upper_bound(best.begin(), best.end(), value, is_better),
              {value, epoch_name(epoch)});
  std::vector<std::string> dropped;
  while (best.size() > limit) {
    dropped.push_back(best.back().name);
    best.pop_back();
  }
  return dropped;
}

void CheckpointFiles::save(const Value& state, const std::string& name,
                           const std::vector<std::string>& dropped) {
  wait();
  io::create_folder("Trainer", options_.folder);
  dropped_.insert(dropped_.end(), dropped.begin(), dropped.end());
  if (!name.empty()) write(state, name);
  write(state, "last.pt");
  if (!options_.async) remove_dropped();
  restart_interval();
}

void CheckpointFiles::restart_interval() { saved_at_ = steady_minutes(); }

void CheckpointFiles::write(const Value& state, const std::string& name) {
  if (options_.async)
    pending_.push_back(save_async(state, path(name)));
  else
    taper::save(state, path(name));
}

void CheckpointFiles::remove_dropped() {
  for (const std::string& name : dropped_) {
    std::error_code ignored;  // a run that was killed may have removed it before
    std::filesystem::remove(path(name), ignored);
  }
  dropped_.clear();
}

void CheckpointFiles::wait() {
  std::vector<SaveHandle> pending = std::move(pending_);
  pending_.clear();
  for (SaveHandle& handle : pending) handle.wait();
  remove_dropped();
}

}  // namespace taper::train
