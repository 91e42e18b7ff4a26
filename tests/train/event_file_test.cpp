// Event files: the background thread, errors of the file system, damaged files.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "event_dir.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/file_size_limit.h"
#include "support/warning_capture.h"
#include "taper/core/factory.h"
#include "taper/train/summary_writer.h"

namespace {

using namespace taper;
using namespace taper::train;
using taper::test::contains, taper::test::error_text, taper::test::EventDir,
    taper::test::FileSizeLimit, taper::test::read_bytes, taper::test::WarningCapture,
    taper::test::write_bytes;

std::string flush_error(SummaryWriter& writer) {
  return error_text<IoError>([&] {
    writer.flush();
    return 0;
  });
}
std::string close_error(SummaryWriter& writer) {
  return error_text<IoError>([&] {
    writer.close();
    return 0;
  });
}

TEST(EventFile, WritesFullQueueWithoutFlush) {
  const EventDir dir;
  SummaryWriter writer(dir.path(), {.max_queue = 2, .flush_secs = 1e18});
  EXPECT_EQ(dir.events().size(), 1u) << "the version is written at once";
  for (int i = 0; i < 4; ++i) writer.add_scalar("a", i, i);
  EventFileReader reader(dir.file());
  int events = 0;
  while (events < 3)  // the first two events, and the version
    if (reader.next())
      ++events;
    else
      std::this_thread::yield();
  writer.flush();
  while (reader.next()) ++events;
  EXPECT_EQ(events, 5);
}

TEST(EventFile, WritesAfterFlushSeconds) {
  const EventDir dir;
  SummaryWriter writer(dir.path(), {.max_queue = 1000, .flush_secs = 0.01});
  writer.add_scalar("a", 1);
  EventFileReader reader(dir.file());
  ASSERT_TRUE(reader.next());
  while (!reader.next()) std::this_thread::yield();
}

TEST(EventFile, PreservesOrderOfManyThreads) {
  constexpr int kThreads = 4, kEvents = 200;
  const EventDir dir;
  {
    SummaryWriter writer(dir.path(), {.max_queue = 3});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&writer, t] {
        for (int i = 0; i < kEvents; ++i) writer.add_scalar(std::to_string(t), i, i);
        writer.flush();
      });
    for (std::thread& thread : threads) thread.join();
  }
  const auto scalars = read_scalars(dir.path());
  ASSERT_EQ(scalars.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [tag, points] : scalars) {
    ASSERT_EQ(points.size(), static_cast<std::size_t>(kEvents));
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_EQ(points[i].step, static_cast<std::int64_t>(i));
  }
}

TEST(EventFile, ReportsDirectoryThatCannotBeCreated) {
  const EventDir dir;
  write_bytes(dir.path("file"), "");
  const std::string text = error_text<IoError>([&] { return SummaryWriter(dir.path("file")); });
  EXPECT_TRUE(contains(text, "SummaryWriter: cannot create the directory '" + dir.path("file")));
}

TEST(EventFile, ReportsRemovedDirectory) {
  const EventDir dir;
  SummaryWriter writer(dir.path("run"));
  writer.add_scalar("a", 1);
  writer.flush();
  const std::string file = dir.file("run");
  std::filesystem::remove_all(dir.path("run"));
  writer.add_scalar("a", 2);
  const std::string expected =
      "SummaryWriter: '" + file + "' was removed or renamed while it was being written";
  EXPECT_EQ(flush_error(writer), expected);
  EXPECT_EQ(error_text<IoError>([&] {
              writer.add_scalar("a", 3);
              return 0;
            }),
            expected);
  EXPECT_EQ(close_error(writer), expected);
  EXPECT_EQ(close_error(writer), "");
}

TEST(EventFile, ReportsReplacedFile) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  const std::string file = dir.file();
  std::filesystem::rename(file, file + ".old");
  write_bytes(file, "");
  EXPECT_EQ(close_error(writer),
            "SummaryWriter: '" + file + "' was replaced while it was being written");
}

TEST(EventFile, WarnsIfDestructorFails) {
  const EventDir dir;
  const WarningCapture warnings;
  { const SummaryWriter writer(dir.path("run")); }
  EXPECT_EQ(warnings.count(), 0u);
  {
    const SummaryWriter writer(dir.path("run"));
    std::filesystem::remove_all(dir.path("run"));
  }
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_TRUE(contains(warnings.all().at(0), "was removed"));
}

TEST(EventFile, ReportsFullDisk) {
  const EventDir dir;
  SummaryWriter writer(dir.path());
  writer.add_scalar("a", 1);
  writer.flush();
  {
    const FileSizeLimit limit(1000);
    writer.add_text("long", std::string(5000, 'x'));
    EXPECT_TRUE(contains(flush_error(writer), "SummaryWriter: cannot write '" + dir.file() + "'"));
  }
  EXPECT_NE(close_error(writer), "");
  EXPECT_EQ(dir.events().size(), 2u);
  EventFileReader reader(dir.file());
  while (reader.next()) {}
  EXPECT_EQ(reader.position(), std::filesystem::file_size(dir.file())) << "a part of a record";
}

/// Returns the bytes of a file with a value of each kind.
std::string sample_file(const EventDir& dir) {
  SummaryWriter writer(dir.path());
  writer.add_scalar("scalar", 0.5, 1);
  writer.add_histogram("histogram", tensor({1.0, 2.0, 3.0}), 2);
  writer.add_image("image", full({3, 2, 2}, 0.5), 3);
  writer.add_audio("audio", full({4}, 0.5), 4);
  writer.add_text("text", "text", 5);
  writer.add_tensor("tensor", tensor({1, 2}), 6);
  writer.close();
  return read_bytes(dir.file());
}

TEST(EventFile, CutFilesHaveTheWholeRecords) {
  const EventDir dir;
  const std::string bytes = sample_file(dir);
  const std::string cut = dir.path("cut");
  std::size_t most = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write_bytes(cut, bytes.substr(0, size));
    const std::size_t count = read_events(cut).size();
    EXPECT_GE(count, most);
    most = count;
  }
  EXPECT_EQ(most, 6u) << "of seven records";
}

TEST(EventFile, ContinuesWhenTheFileGrows) {
  const EventDir dir;
  const std::string bytes = sample_file(dir);
  const std::string growing = dir.path("growing");
  write_bytes(growing, "");
  EventFileReader reader(growing);
  std::size_t count = 0;
  for (std::size_t size = 0; size <= bytes.size(); size += 7) {
    write_bytes(growing, bytes.substr(0, size));
    while (reader.next()) ++count;
  }
  write_bytes(growing, bytes);
  while (reader.next()) ++count;
  EXPECT_EQ(count, 7u);
}

TEST(EventFile, RejectsDamagedRecords) {
  const EventDir dir;
  const std::string bytes = sample_file(dir);
  const std::string damaged = dir.path("damaged");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    write_bytes(damaged, changed);
    const std::string text = error_text<IoError>([&] { return read_events(damaged); });
    EXPECT_TRUE(contains(text, "checksum")) << i;
    EXPECT_TRUE(contains(text, "EventFileReader: '" + damaged + "': record at byte")) << i;
  }
}

}  // namespace
