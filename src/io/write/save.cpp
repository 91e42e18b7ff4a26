#include "taper/io/save.h"

#include <cctype>
#include <charconv>
#include <list>

#include "core/check.h"
#include "io/path.h"
#include "io/safetensors/old_shards.h"
#include "io/text.h"
#include "io/write/atomic_file.h"
#include "io/write/saving.h"
#include "io/write/serialized_file.h"

namespace taper {
namespace {

/// Returns the name of the folder inside the archive: the file name without its last extension.
std::string stem_of(const std::string& path) {
  std::string name = io::file_name_of(path);
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name.resize(dot);
  if (name.empty()) fail<RuntimeError>("save: invalid file name: {}", path);
  return name;
}

io::SerializedFile serialize(const Value& value, const SaveOptions& options,
                             const std::string& folder) {
  if (options.format == FileFormat::safetensors) return io::safetensors_file(value, options);
  const char* const given = options.metadata         ? "metadata"
                            : options.max_shard_size ? "max_shard_size"
                                                     : nullptr;
  if (given) fail<ValueError>("save: {} requires the safetensors format", given);
  return options.format == FileFormat::legacy ? io::legacy_file(value)
                                              : io::zip_file(value, folder);
}

/// Serializes `value` to the single file that a stream accepts.
io::SerializedFile serialize_single_file(const Value& value, const SaveOptions& options) {
  if (options.max_shard_size) fail<ValueError>("save: a stream cannot be split into shards");
  return serialize(value, options, "archive");
}

}  // namespace

namespace io {

SavePlan plan(const Value& value, const std::string& path, const SaveOptions& options) {
  // Other libraries would reject the file, whereas load detects the format from the contents.
  if (path.ends_with(".safetensors") && options.format != FileFormat::safetensors)
    fail<ValueError>(
        "save: '{}' is the name of a safetensors file: set .format = FileFormat::safetensors, or "
        "choose another extension",
        io::escape_for_message(path));
  if (options.format == FileFormat::safetensors && options.max_shard_size)
    return {safetensors_shards(value, path, options), path};
  SavePlan p;
  const bool zip = options.format == FileFormat::zip;
  p.files.push_back({path, serialize(value, options, zip ? stem_of(path) : "")});
  return p;
}

void write_files(const SavePlan& plan) {
  std::list<AtomicFile> files;
  for (const auto& [path, file] : plan.files) {
    file.write(files.emplace_back(path));
    files.back().flush_to_disk();
  }
  for (AtomicFile& f : files) f.commit();
  if (!plan.shards_of.empty()) remove_old_shards(plan.shards_of, plan.files);
}

}  // namespace io

ByteCount::ByteCount(std::string_view text) {
  constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {{"", 1},
                                                                   {"B", 1},
                                                                   {"KB", 1000},
                                                                   {"MB", 1000'000},
                                                                   {"GB", 1000'000'000},
                                                                   {"TB", 1000'000'000'000},
                                                                   {"KIB", 1ull << 10},
                                                                   {"MIB", 1ull << 20},
                                                                   {"GIB", 1ull << 30},
                                                                   {"TIB", 1ull << 40}};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), bytes_);
  std::string unit;
  for (const char* c = rest; c != text.data() + text.size(); ++c)
    if (*c != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  for (const auto& [name, factor] : kUnits)
    if (error == std::errc() && unit == name && !__builtin_mul_overflow(bytes_, factor, &bytes_))
      return;
  fail<ValueError>(
      "ByteCount: invalid size: got '{}', expected a number of bytes such as 5GB or 512MiB",
      io::escape_for_message(text));
}

void save(const Value& value, const std::string& path, const SaveOptions& options) {
  const io::SavePlan plan = io::plan(value, path, options);
  const io::SaveTicket ticket(path);
  io::write_files(plan);
}

void save(const Value& value, std::ostream& stream, const SaveOptions& options) {
  const io::SerializedFile file = serialize_single_file(value, options);
  io::StreamOutput out(stream);
  file.write(out);
}

std::vector<std::byte> save_to_bytes(const Value& value, const SaveOptions& options) {
  const io::SerializedFile file = serialize_single_file(value, options);
  io::MemoryOutput out;
  constexpr std::size_t kHeaderSizeEstimate = 256;  // estimated size of the headers of a record
  out.reserve(file.size() + kHeaderSizeEstimate * (file.parts.size() + 2));
  file.write(out);
  return out.take();
}

}  // namespace taper
