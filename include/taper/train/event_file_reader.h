// EventFileReader: reads event files of TensorBoard.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/train/event_records.h"

namespace TAPER_API taper {
namespace train {

/// Reads the events of a file in order.
///
///     train::EventFileReader reader(path);
///     while (const auto event = reader.next()) ...
///
/// A file that was cut, or that is still being written, has the whole records before the cut. When
/// the file has grown, `next` continues.
class EventFileReader {
 public:
  /// Throws IoError if the file cannot be opened.
  explicit EventFileReader(const std::string& path);
  EventFileReader(EventFileReader&&) noexcept;
  EventFileReader& operator=(EventFileReader&&) noexcept;
  ~EventFileReader();

  /// Returns the next event, or nullopt after the last whole record. Throws IoError, naming file
  /// and offset, if a checksum differs or a record is malformed.
  std::optional<Event> next();
  /// Returns the number of bytes of the records read so far.
  std::uint64_t position() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Returns all events of a file. Throws as EventFileReader.
std::vector<Event> read_events(const std::string& path);
/// Returns the sorted paths of the event files in `log_dir`, without its subdirectories. Throws
/// IoError if it is not a directory.
std::vector<std::string> event_files(const std::string& log_dir);

/// Point of a curve.
struct ScalarEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  double value = 0;
};
/// Returns the scalars of the event files in `log_dir` by tag, in the order of the files. Points
/// that a restarted run (`purge_step`) replaces are left out. PyTorch:
/// tensorboard.backend.event_processing.event_accumulator.EventAccumulator.
std::map<std::string, std::vector<ScalarEvent>> read_scalars(const std::string& log_dir);

}  // namespace train
}  // namespace taper
