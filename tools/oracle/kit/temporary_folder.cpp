#include "kit/temporary_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace taper::oracle {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
    : path_((fs::temp_directory_path() / "taper_oracle_XXXXXX").string()) {
  if (!::mkdtemp(path_.data())) throw std::runtime_error("cannot create " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const Tensor& bytes) const {
  const Tensor contents = bytes.contiguous();
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(contents.const_data_ptr<std::uint8_t>()),
             static_cast<std::streamsize>(contents.numel()));
  return path;
}

}  // namespace taper::oracle
