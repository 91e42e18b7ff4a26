// Saved files appear completely or not at all, under failing system calls and kills.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "support/file_bytes.h"
#include "support/sampling.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper_paths.h"

namespace taper {
namespace {

using test::read_bytes, test::TempDir, test::write_bytes;

/// Runs taper_test_saver with the preloaded fault library and returns its exit status; -1 if it was
/// killed. Its directory is in memory if possible, where flushing is cheap.
int run_saver(const std::string& mode, const std::string& points = "") {
  const char* const memory = "/dev/shm";
  const bool fast = ::access(memory, W_OK) == 0;
  const TempDir dir(fast ? memory : "/tmp");
  const std::string command = "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" TAPER_TEST_FAULTS
                              " " TAPER_BIN_DIR "/taper_test_saver " +
                              mode + " " + dir.path() + " " + points;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(AtomicSave, SurvivesFailureOfEverySystemCall) { EXPECT_EQ(run_saver("fail"), 0); }

TEST(AtomicSave, SurvivesKillAtAnyPoint) {
  EXPECT_EQ(run_saver("kill", test::takes_sample() ? "200" : "1000"), 0);
}

TEST(AtomicSave, FlushesFilesBeforeRenameAndFolderAfter) { EXPECT_EQ(run_saver("flush"), 0); }

TEST(AtomicSave, DoesNotFollowLinkAtTemporaryPath) { EXPECT_EQ(run_saver("taken"), 0); }

mode_t mode_of(const std::string& path) {
  struct stat s {};
  ::stat(path.c_str(), &s);
  return s.st_mode & 07777;
}

TEST(AtomicSave, PreservesModeOfReplacedFile) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  const mode_t mask = ::umask(027);
  save(1, path);
  EXPECT_EQ(mode_of(path), 0640u);
  ::umask(mask);
  ::chmod(path.c_str(), 0604);
  save(2, path);
  EXPECT_EQ(mode_of(path), 0604u);
  EXPECT_EQ(load(path).as_int(), 2);
}

TEST(AtomicSave, FollowsSymbolicLinks) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "data");
  const std::string link = folder / "latest.pt", second = folder / "second.pt";
  ASSERT_EQ(::symlink("data/x.pt", second.c_str()), 0);
  ASSERT_EQ(::symlink(second.c_str(), link.c_str()), 0);
  save(1, link);  // the links lead to a file that does not exist yet
  EXPECT_EQ(load(folder / "data/x.pt").as_int(), 1);
  save(2, link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_symlink(second));
  EXPECT_EQ(load(folder / "data/x.pt").as_int(), 2);
  const std::string circle = folder / "circle.pt";
  ASSERT_EQ(::symlink("circle.pt", circle.c_str()), 0);
  EXPECT_THROW(save(1, circle), IoError);
}

TEST(AtomicSave, WritesDevicesAndPipesDirectly) {
  save(zeros({1000}), "/dev/null");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(save(zeros({1000}), "/dev/full"), IoError);
  const TempDir folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = read_bytes(pipe); });
  save(5, pipe);
  reader.join();
  write_bytes(folder / "copy.pt", read);
  EXPECT_EQ(load(folder / "copy.pt").as_int(), 5);
  EXPECT_THROW(save(1, folder / "..", {.format = FileFormat::legacy}), IoError);  // a directory
}

TEST(AtomicSave, RemovesOnlyUnlockedTemporaryFiles) {
  const TempDir folder;
  const std::string path = folder / "x.pt", dead = folder / ".x.pt.taper-1-0",
                    alive = folder / ".x.pt.taper-2-0", other = folder / ".y.pt.taper-1-0",
                    similar = folder / ".x.pt.taper-notes";
  for (const std::string& name : {dead, alive, other, similar}) write_bytes(name, "half");
  const int held = ::open(alive.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  save(1, path);
  EXPECT_FALSE(std::filesystem::exists(dead));
  for (const std::string& name : {alive, other, similar})
    EXPECT_TRUE(std::filesystem::exists(name)) << name;
  ::close(held);
  save(1, path);
  EXPECT_FALSE(std::filesystem::exists(alive));
}

TEST(AtomicSave, SupportsLongestFileNames) {
  const TempDir folder;
  const std::string name(251, 'x'), path = folder / (name + ".pt").c_str();
  save(1, path);
  save(2, path);
  EXPECT_EQ(load(path).as_int(), 2);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicSave, ConcurrentSavesOfOneFileSucceed) {
  const TempDir folder;
  const std::string path = folder / "x.pt";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) save(i, path);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_LT(load(path).as_int(), 4);
  EXPECT_EQ(folder.count(), 1u);
}

// Checks that no shard is renamed before all of them are written.
TEST(AtomicSave, ReplacesShardsTogether) {
  const TempDir folder;
  const std::string path = folder / "m.safetensors",
                    first = folder / "m-00001-of-00002.safetensors",
                    second = folder / "m-00002-of-00002.safetensors";
  const auto model = [](double value) {
    return Value::dict({{"a", full({10}, value)}, {"b", full({10}, value)}});
  };
  const SaveOptions shards{.format = FileFormat::safetensors, .max_shard_size = 40};
  save(model(1), path, shards);
  const std::string old = read_bytes(first);
  std::filesystem::remove(second);
  std::filesystem::create_directory(second);  // a directory cannot be replaced
  EXPECT_THROW(save(model(2), path, shards), IoError);
  EXPECT_EQ(read_bytes(first), old);
  EXPECT_EQ(folder.count(), 3u);
}

}  // namespace
}  // namespace taper
