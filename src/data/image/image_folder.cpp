#include "taper/data/image_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/check.h"
#include "data/image/encoded.h"
#include "taper/data/dataset.h"
#include "taper/data/image.h"

namespace taper::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array kExtensions = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                    ".pgm", ".tif",  ".tiff", ".webp"};

bool has_image_extension(const std::string& path) {
  std::string name = path;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](const char* extension) { return name.ends_with(extension); });
}

std::string all_extensions() {
  std::string text;
  for (const char* extension : kExtensions)
    text += (text.empty() ? "" : ", ") + std::string(extension);
  return text;
}

struct Listing {
  std::vector<std::string> directories, files;  ///< sorted names
};

Listing list_directory(const std::string& path) {
  Listing listing;
  std::error_code error;
  for (auto i = fs::directory_iterator(path, error); !error && i != fs::directory_iterator();
       i.increment(error)) {
    // Broken links are files, which are reported when they are read.
    std::error_code ignored;
    (i->is_directory(ignored) ? listing.directories : listing.files)
        .push_back(i->path().filename().string());
  }
  if (error) fail<IoError>("ImageFolder: {}: {}", path, error.message());
  std::sort(listing.directories.begin(), listing.directories.end());
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

using FilesByDirectory = std::map<std::string, std::vector<std::string>>;

/// Lists the files of a directory and of those below it, following links. `ancestors` are the
/// resolved paths of the directories above it.
void list_tree(const std::string& path, std::vector<fs::path>& ancestors, FilesByDirectory& found) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  if (!error && std::find(ancestors.begin(), ancestors.end(), resolved) != ancestors.end())
    fail<IoError>("ImageFolder: {}: symbolic link to a directory that contains it", path);
  ancestors.push_back(resolved);
  Listing listing = list_directory(path);
  for (const std::string& name : listing.directories)
    list_tree(path + "/" + name, ancestors, found);
  found.emplace(path, std::move(listing.files));
  ancestors.pop_back();
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

ImageFolder::ImageFolder(std::string root, ImageFolderOptions options)
    : root_(std::move(root)), options_(std::move(options)) {
  const std::string top = without_trailing_slashes(root_);
  classes_ = list_directory(top).directories;
  if (classes_.empty()) fail<IoError>("ImageFolder: {}: couldn't find any class folder", root_);
  std::string empty;
  for (const auto& [name, index] : class_to_idx()) {
    const std::size_t size_before = samples_.size();
    FilesByDirectory found;
    std::vector<fs::path> ancestors;
    list_tree((top == "/" ? "" : top) + "/" + name, ancestors, found);
    for (const auto& [directory, files] : found)
      for (const std::string& file : files) {
        std::string path = directory + "/" + file;
        if (options_.is_valid_file ? options_.is_valid_file(path) : has_image_extension(path))
          samples_.emplace_back(std::move(path), index);
      }
    if (samples_.size() == size_before) empty += (empty.empty() ? "" : ", ") + name;
  }
  if (!empty.empty() && !options_.allow_empty)
    fail<IoError>("ImageFolder: {}: found no valid file for the classes {}{}", root_, empty,
                  options_.is_valid_file ? "" : "; supported extensions are: " + all_extensions());
}

ImageFolder::Encoded ImageFolder::fetch(std::int64_t i) const {
  const auto& [path, target] = samples_[static_cast<std::size_t>(detail::wrap_index(i, size()))];
  return {path, target, options_.loader ? std::string() : read_file_bytes("read_image", path)};
}

std::pair<Tensor, std::int64_t> ImageFolder::decode(const Encoded& encoded) const {
  Tensor image = options_.loader ? options_.loader(encoded.path)
                                 : decode_file(encoded.path, encoded.bytes, ImageReadMode::rgb,
                                               options_.apply_exif_orientation);
  if (options_.transform) image = options_.transform(image);
  return {std::move(image),
          options_.target_transform ? options_.target_transform(encoded.target) : encoded.target};
}

std::map<std::string, std::int64_t> ImageFolder::class_to_idx() const {
  std::map<std::string, std::int64_t> indices;
  for (const std::string& name : classes_)
    indices.emplace(name, static_cast<std::int64_t>(indices.size()));
  return indices;
}

std::vector<std::int64_t> ImageFolder::targets() const {
  std::vector<std::int64_t> all;
  all.reserve(samples_.size());
  for (const auto& sample : samples_) all.push_back(sample.second);
  return all;
}

}  // namespace taper::data
