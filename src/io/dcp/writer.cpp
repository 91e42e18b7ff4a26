#include "io/dcp/writer.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "io/append_file.h"
#include "io/dcp/metadata.h"
#include "io/write/serialized_file.h"
#include "io/write/temporary_file.h"
#include "io/zip/writer.h"

namespace taper::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSave = "checkpoint.save";

/// Part of a file, in which positions count from its first byte.
class SectionOutput : public Output {
 public:
  explicit SectionOutput(Output& whole) : whole_(whole) {}
  void write(const void* data, std::size_t bytes) override {
    whole_.write(data, bytes);
    position_ += bytes;
  }

 private:
  Output& whole_;
};

Value without_other_elements(const Value& value) {
  if (!value.is_tensor()) return value;
  const Tensor t = value.as_tensor().detach().contiguous();
  const std::size_t bytes = static_cast<std::size_t>(t.numel()) * size_of(t.dtype());
  return impl(t).storage->bytes() == bytes ? t : t.clone();
}

/// Returns the number of a file of pieces; nullopt for other names.
std::optional<int> number_of_piece(std::string_view name) {
  if (!name.starts_with("__") || !name.ends_with(".distcp")) return {};
  name = name.substr(2, name.size() - 9);
  const std::size_t separator = name.find('_');
  int rank = 0, number = 0;
  const auto parse = [](std::string_view digits, int& to) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (separator == name.npos || !parse(name.substr(0, separator), rank) ||
      !parse(name.substr(separator + 1), number))
    return {};
  return number;
}

/// Returns the names of the files of pieces in a folder.
std::vector<std::string> piece_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const std::string name = it->path().filename().string(); number_of_piece(name))
      names.push_back(name);
  if (error) fail<IoError>("{}: {}: cannot read the directory: {}", kSave, folder, error.message());
  return names;
}

}  // namespace

StorageInfo DcpPieceFile::append(const Value& value) {
  const std::string padding((kAlignment - file_.position() % kAlignment) % kAlignment, '\0');
  file_.write(padding.data(), padding.size());
  StorageInfo info{.relative_path = "", .offset = file_.position()};
  SectionOutput section(file_);
  zip_file(without_other_elements(value), "archive").write(section);
  info.length = section.position();
  return info;
}

std::string dcp_piece_name(int rank, int number) {
  return format_message("__{}_{}.distcp", rank, number);
}

int prepare_dcp_folder(const std::string& folder) {
  create_folder(kSave, folder);
  std::set<int> used;
  for (const std::string& name : piece_files(folder)) used.insert(*number_of_piece(name));
  int number = 0;
  while (used.contains(number)) ++number;
  return number;
}

void commit_dcp_metadata(const std::string& folder, const Metadata& metadata) {
  const std::string bytes = serialize_dcp_metadata(metadata);
  AtomicFile file(folder + std::string(kDcpMetadataFile));
  file.write(bytes.data(), bytes.size());
  file.commit();
  std::set<std::string> current;
  for (const auto& entry : metadata.entries)
    for (const auto& piece : entry.storage) current.insert(piece.relative_path);
  for (const std::string& name : piece_files(folder)) {
    std::error_code ignored;  // the checkpoint is complete; the next save tries again
    if (!current.contains(name)) fs::remove(folder + name, ignored);
  }
}

}  // namespace taper::io
