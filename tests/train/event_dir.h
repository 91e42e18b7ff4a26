// Directory of event files in tests.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "taper/train/event_file_reader.h"

namespace taper::test {

/// Temporary directory that a SummaryWriter writes to.
class EventDir {
 public:
  /// Returns a path of the run `name`, by default of the directory itself.
  std::string path(const std::string& name = ".") const {
    return name == "." ? dir_.path() : dir_ / name;
  }
  /// Returns the path of the only event file of a run.
  std::string file(const std::string& run = ".") const {
    return train::event_files(path(run)).at(0);
  }
  /// Returns the events of all files of a run.
  std::vector<train::Event> events(const std::string& run = ".") const {
    std::vector<train::Event> all;
    for (const std::string& file : train::event_files(path(run)))
      for (train::Event& event : train::read_events(file)) all.push_back(std::move(event));
    return all;
  }
  /// Returns the value of the event at `index`, where 0 is the version of the file.
  train::SummaryValue value(std::size_t index = 1) const { return events().at(index).values.at(0); }

 private:
  TempDir dir_;
};

}  // namespace taper::test
