#include "io/safetensors/old_shards.h"

#include <algorithm>
#include <filesystem>

#include "core/check.h"
#include "io/path.h"

namespace taper::io {
namespace {

/// Returns the position of the file extension; the length of `path` if it has none.
std::size_t extension_offset(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1, dot = path.rfind('.');
  return dot == std::string::npos || dot <= name ? path.size() : dot;
}

/// Returns true for a shard suffix such as "-00001-of-00003".
bool is_shard_suffix(std::string_view s) {
  constexpr std::string_view kForm = "-#####-of-#####";
  return std::equal(s.begin(), s.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    return form == '#' ? c >= '0' && c <= '9' : c == form;
  });
}

}  // namespace

std::string shard_path(const std::string& path, std::size_t i, std::size_t count) {
  const std::size_t stem = extension_offset(path);
  return path.substr(0, stem) + format_message("-{:05}-of-{:05}", i, count) + path.substr(stem);
}

void remove_old_shards(const std::string& path, const std::vector<NamedFile>& written) {
  namespace fs = std::filesystem;
  const std::string folder = folder_of(path);
  const std::string stem = path.substr(folder.size(), extension_offset(path) - folder.size()),
                    suffix = path.substr(extension_offset(path));
  std::vector<std::string> old{path, path + ".index.json"};
  std::error_code failed;  // ignored: the new files are already complete
  for (fs::directory_iterator it(folder.empty() ? "." : folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string name = it->path().filename().string();
    const std::size_t ends = stem.size() + suffix.size();
    if (name.size() > ends && name.starts_with(stem) && name.ends_with(suffix) &&
        is_shard_suffix(std::string_view(name).substr(stem.size(), name.size() - ends)))
      old.push_back(folder + name);
  }
  for (const std::string& file : old) {
    const auto is_it = [&](const NamedFile& d) { return d.path == file; };
    const bool regular = fs::is_regular_file(file, failed);
    if (regular && std::none_of(written.begin(), written.end(), is_it)) fs::remove(file, failed);
  }
}

}  // namespace taper::io
