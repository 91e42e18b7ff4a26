// TextLines, TextLineStream: the lines of text files as examples.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/shared_function.h"

namespace TAPER_API taper {
namespace data {

/// Dataset of the lines of text files, which are optionally compressed with gzip and are held in
/// memory. Lines end with "\n" or "\r\n", which are not part of the example; the last line may end
/// with the file. Examples are strings. Throws IoError if a file cannot be read.
class TextLines {
 public:
  explicit TextLines(const std::string& path);
  explicit TextLines(const std::vector<std::string>& paths);

  /// Returns the number of lines.
  std::int64_t size() const;
  /// Returns line i; a negative i counts from the end. Throws IndexError if i is out of range.
  std::string get(std::int64_t i) const;

 private:
  struct Contents;
  std::shared_ptr<const Contents> contents_;
};

/// Iterable dataset of the lines of text files, as TextLines, of which one at a time is in memory.
/// Worker w of W of a loader returns the lines w, w + W, ... The iterator throws IoError if a file
/// cannot be read.
class TextLineStream {
 public:
  explicit TextLineStream(std::string path)
      : TextLineStream(std::vector<std::string>{std::move(path)}) {}
  explicit TextLineStream(std::vector<std::string> paths);

  /// Starts a pass.
  SharedFunction<std::optional<std::string>()> iterate() const;

 private:
  std::shared_ptr<const std::vector<std::string>> paths_;
};

}  // namespace data
}  // namespace taper
