// EventFileWriter: writes an event file in the background.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/append_file.h"
#include "taper/train/summary_options.h"

namespace taper::train::events {

/// Event file with a thread that writes pending events. It begins with an event that contains the
/// version of the format. Methods may be called by several threads. After an error of the thread,
/// they throw it.
class EventFileWriter {
 public:
  /// Creates `folder` and the file. Throws IoError on failure.
  EventFileWriter(const std::string& folder, const SummaryWriterOptions& options);
  ~EventFileWriter();
  EventFileWriter(const EventFileWriter&) = delete;
  EventFileWriter& operator=(const EventFileWriter&) = delete;

  /// Adds a serialized event. Waits while `max_queue` events are pending.
  void add(std::string event);
  /// Waits until all events are written.
  void flush();
  /// Writes pending events and closes the file, even if it throws. Must be the last call.
  void close();
  /// Returns true if a call has thrown the error of the thread.
  bool has_reported_error();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void write(const std::vector<std::string>& events);
  void throw_if_failed();
  void stop();

  io::AppendFile file_;
  const std::size_t max_queue_;
  const Clock::duration flush_interval_;

  std::mutex mutex_;
  std::condition_variable work_;      ///< for the thread
  std::condition_variable progress_;  ///< for callers that wait
  std::vector<std::string> pending_;
  Clock::time_point deadline_;  ///< when the oldest pending event is written
  std::uint64_t added_ = 0, written_ = 0, requested_ = 0;  ///< numbers of events
  bool stopping_ = false, reported_ = false;
  std::string error_;  ///< of the thread, which has ended; empty: none
  std::thread thread_;
};

}  // namespace taper::train::events
