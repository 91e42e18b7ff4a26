// TemporaryFolder: a directory for the files of a case.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace taper::oracle {

/// Directory that is removed, with its contents, at the end of its lifetime.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes the elements of a u8 tensor to the file `name`. Returns its path.
  std::string write(const std::string& name, const Tensor& bytes) const;

 private:
  std::string path_;
};

}  // namespace taper::oracle
