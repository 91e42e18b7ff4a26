// Places of modules that are loaded at run time.
#include "core/library_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "support/contains.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper_paths.h"

namespace taper {
namespace {

TEST(LibraryFiles, AreSearchedBesideTheProgram) {
  const std::vector<std::string> folders = library_folders();
  const std::string build = std::string(TAPER_BIN_DIR).substr(0, sizeof(TAPER_BIN_DIR) - 5);
  for (const char* folder : {"/bin", "/bin/taper", "/lib", "/lib/taper"})
    EXPECT_EQ(std::count(folders.begin(), folders.end(), build + folder), 1) << folder;
}

TEST(LibraryFiles, AreSearchedInTheDirectoriesOfTheVariable) {
  const test::TempDir folder;
  test::write_bytes(folder / "libtaper_test_module.so", "");
  ASSERT_EQ(library_files("libtaper_test_module.so"),
            std::vector<std::string>{"libtaper_test_module.so"});
  const std::string before = missing_library_text("libtaper_test_module.so");
  EXPECT_TRUE(test::contains(before, "'libtaper_test_module.so' was not found in "));
  EXPECT_TRUE(test::contains(before, std::string(TAPER_BIN_DIR) + ", "));
  EXPECT_TRUE(test::contains(before, ", or on the library path"));
  setenv(kLibraryPathVariable, ("/nonexistent::" + folder.path()).c_str(), 1);
  EXPECT_EQ(
      library_files("libtaper_test_module.so"),
      (std::vector<std::string>{folder / "libtaper_test_module.so", "libtaper_test_module.so"}));
  EXPECT_TRUE(test::contains(missing_library_text("x.so"), "/nonexistent, " + folder.path()));
  unsetenv(kLibraryPathVariable);
}

}  // namespace
}  // namespace taper
