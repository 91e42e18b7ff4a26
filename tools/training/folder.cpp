#include "folder.h"

#include <algorithm>
#include <filesystem>

#include "core/check.h"
#include "io/text.h"

namespace training {

std::vector<std::string> list_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  for (auto i = fs::directory_iterator(folder, error); !error && i != fs::directory_iterator();
       i.increment(error))
    names.push_back(i->path().filename().string());
  if (error)
    taper::fail<taper::IoError>("{}: {}",
                                taper::io::escape_for_message(folder, taper::io::kMaxReasonLength),
                                error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace training
