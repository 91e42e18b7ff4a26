// Small image data for the tests of taper train and taper report.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "command.h"

namespace taper::cli::test {

/// Network for the images of draw_folders.
inline const std::string kNet = "Sequential(Flatten(), Linear(16, 3))";

/// Creates images of 4 x 4 pixels whose bright row is the class, as PGM files in a directory per
/// class.
inline void draw_folders(const TempDir& folder, const std::string& name, int count) {
  for (int i = 0; i < count; ++i)
    for (int label = 0; label < 3; ++label) {
      const std::string below = folder / (name + "/row" + std::to_string(label));
      std::filesystem::create_directories(below);
      std::string pixels(16, static_cast<char>(i % 40));
      for (std::size_t x = 0; x < 4; ++x)
        pixels[static_cast<std::size_t>(label) * 4 + x] = static_cast<char>(200 + i % 50);
      write_bytes(below + "/" + std::to_string(i) + ".pgm", "P5 4 4 255\n" + pixels);
    }
}

/// Returns the command line that trains kNet on the images of draw_folders(folder, "data").
inline std::vector<std::string> train_command(const TempDir& folder,
                                              std::vector<std::string> more) {
  std::vector<std::string> line = {"train", kNet,      "--data", folder / "data", "--input",
                                   "1x4x4", "--batch", "8",      "--out",         folder / "out"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

}  // namespace taper::cli::test
