#include "taper/train/event_file_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/check.h"
#include "train/events/event_decoder.h"
#include "train/events/event_fields.h"
#include "train/events/record.h"

namespace taper::train {

struct EventFileReader::File {
  explicit File(const std::string& file_path) : path(file_path), stream(path, std::ios::binary) {
    std::error_code error;
    if (!stream || std::filesystem::is_directory(path, error))
      fail<IoError>("EventFileReader: cannot open '{}': {}", path,
                    std::strerror(stream ? EISDIR : errno));
  }

  /// Returns up to `count` bytes from `offset` of the current record; less at the end of the file.
  /// Memory grows with the bytes read, because the length of a damaged record may be wrong.
  std::string read(std::uint64_t offset, std::uint64_t count) {
    constexpr std::uint64_t kChunkSize = 1 << 20;
    std::string bytes;
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(position + offset));
    while (bytes.size() < count && stream) {
      const std::size_t had = bytes.size();
      bytes.resize(had + std::min(kChunkSize, count - had));
      stream.read(bytes.data() + had, static_cast<std::streamsize>(bytes.size() - had));
      bytes.resize(had + static_cast<std::size_t>(stream.gcount()));
    }
    return bytes;
  }

  std::optional<Event> next() {
    const std::string header = read(0, events::kRecordHeader);
    if (header.size() < events::kRecordHeader) return {};
    const std::uint64_t length = events::read_record_length(header);
    if (length > kMaxLength) fail<IoError>("the record is too long: {} bytes", length);
    const std::string rest = read(events::kRecordHeader, length + events::kRecordFooter);
    if (rest.size() < length + events::kRecordFooter) return {};
    const std::string_view data = std::string_view(rest).substr(0, length);
    events::check_record(data, std::string_view(rest).substr(length));
    Event event = events::decode_event(data);
    position += events::kRecordHeader + rest.size();
    return event;
  }

  static constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 31;  // of a message

  std::string path;
  std::ifstream stream;
  std::uint64_t position = 0;  ///< of the next record
};

EventFileReader::EventFileReader(const std::string& path) : file_(std::make_unique<File>(path)) {}
EventFileReader::EventFileReader(EventFileReader&&) noexcept = default;
EventFileReader& EventFileReader::operator=(EventFileReader&&) noexcept = default;
EventFileReader::~EventFileReader() = default;

std::optional<Event> EventFileReader::next() {
  try {
    return file_->next();
  } catch (const Error& e) {
    fail<IoError>("EventFileReader: '{}': record at byte {}: {}", file_->path, file_->position,
                  e.message());
  }
}

std::uint64_t EventFileReader::position() const { return file_->position; }

std::vector<Event> read_events(const std::string& path) {
  EventFileReader reader(path);
  std::vector<Event> events;
  while (auto event = reader.next()) events.push_back(*std::move(event));
  return events;
}

std::vector<std::string> event_files(const std::string& log_dir) {
  std::error_code error;
  std::filesystem::directory_iterator entries(log_dir, error);
  if (error) fail<IoError>("event_files: cannot read '{}': {}", log_dir, error.message());
  std::vector<std::string> paths;
  for (const auto& entry : entries)
    if (entry.path().filename().string().find("tfevents") != std::string::npos &&
        entry.is_regular_file(error))
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::map<std::string, std::vector<ScalarEvent>> read_scalars(const std::string& log_dir) {
  std::map<std::string, std::vector<ScalarEvent>> scalars;
  for (const std::string& path : event_files(log_dir))
    for (const Event& event : read_events(path)) {
      if (event.session_status == events::session_log_field::start)
        for (auto& [tag, points] : scalars)
          std::erase_if(points, [&](const ScalarEvent& p) { return p.step >= event.step; });
      for (const SummaryValue& value : event.values) {
        if (const float* number = std::get_if<float>(&value.data))
          scalars[value.tag].push_back({event.wall_time, event.step, *number});
        const Tensor* tensor = std::get_if<Tensor>(&value.data);
        if (tensor && value.plugin_name == "scalars" && tensor->numel() == 1)
          scalars[value.tag].push_back({event.wall_time, event.step, tensor->item().to_double()});
      }
    }
  return scalars;
}

}  // namespace taper::train
