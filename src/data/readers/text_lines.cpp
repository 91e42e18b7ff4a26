#include "taper/data/text_lines.h"

#include <cstring>
#include <utility>

#include "core/check.h"
#include "data/readers/input_file.h"
#include "taper/data/data_loader_options.h"
#include "taper/data/dataset.h"

namespace taper::data {
namespace {

/// Reads a file line by line.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : file_("TextLineStream", path) {}

  std::optional<std::string> next() {
    std::string line;
    while (true) {
      if (at_ == chunk_.size()) {
        chunk_ = file_.read_up_to(kChunk);
        at_ = 0;
        if (chunk_.empty()) {
          if (line.empty()) return {};
          return line;
        }
      }
      const std::size_t end = chunk_.find('\n', at_);
      line.append(chunk_, at_, end == chunk_.npos ? end : end - at_);
      at_ = end == chunk_.npos ? chunk_.size() : end + 1;
      if (end == chunk_.npos) continue;
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
  }

 private:
  static constexpr std::uint64_t kChunk = 1 << 16;
  InputFile file_;
  std::string chunk_;
  std::size_t at_ = 0;
};

/// The lines of several files, one after the other.
class LinesOfFiles {
 public:
  explicit LinesOfFiles(std::shared_ptr<const std::vector<std::string>> paths)
      : paths_(std::move(paths)) {}

  std::optional<std::string> next() {
    while (true) {
      if (!lines_) {
        if (file_ == paths_->size()) return {};
        lines_ = std::make_unique<LineReader>((*paths_)[file_++]);
      }
      try {
        if (auto line = lines_->next()) return line;
      } catch (...) {
        lines_.reset();  // continues with the next file
        throw;
      }
      lines_.reset();
    }
  }

 private:
  std::shared_ptr<const std::vector<std::string>> paths_;
  std::size_t file_ = 0;
  std::unique_ptr<LineReader> lines_;
};

}  // namespace

struct TextLines::Contents {
  struct Line {
    const char* begin;
    std::size_t size;
  };
  std::vector<ByteBuffer> files{};
  std::vector<Line> lines{};
};

TextLines::TextLines(const std::string& path) : TextLines(std::vector<std::string>{path}) {}

TextLines::TextLines(const std::vector<std::string>& paths) {
  auto contents = std::make_shared<Contents>();
  for (const std::string& path : paths) {
    const ByteBuffer& file = contents->files.emplace_back(InputFile("TextLines", path).read_rest());
    const char* const end = file.data() + file.size();
    for (const char* p = file.data(); p < end;) {
      const void* const found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
      const char* const stop = found ? static_cast<const char*>(found) : end;
      const bool has_return = found && stop > p && stop[-1] == '\r';
      contents->lines.push_back({p, static_cast<std::size_t>(stop - p) - has_return});
      p = stop + 1;
    }
  }
  contents_ = std::move(contents);
}

std::int64_t TextLines::size() const { return static_cast<std::int64_t>(contents_->lines.size()); }

std::string TextLines::get(std::int64_t i) const {
  const auto& line = contents_->lines[static_cast<std::size_t>(detail::wrap_index(i, size()))];
  return {line.begin, line.size};
}

TextLineStream::TextLineStream(std::vector<std::string> paths)
    : paths_(std::make_shared<const std::vector<std::string>>(std::move(paths))) {}

SharedFunction<std::optional<std::string>()> TextLineStream::iterate() const {
  const WorkerInfo* const worker = get_worker_info();
  const int step = worker ? worker->num_workers : 1;
  return [lines = LinesOfFiles(paths_), step,
          skip = worker ? worker->id : 0]() mutable -> std::optional<std::string> {
    for (; skip > 0; --skip)  // the rest is skipped after an error
      if (!lines.next()) return {};
    skip = step - 1;
    return lines.next();
  };
}

}  // namespace taper::data
