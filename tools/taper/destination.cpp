// Writes a checkpoint in the format that the suffix of the path selects.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "contents.h"
#include "core/dtype_table.h"
#include "core/element_reader.h"
#include "io/pickle/globals/storage_class.h"
#include "named_tensors.h"
#include "rewrite.h"
#include "signal_cleanup.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {

using taper::Value;

namespace {

bool is_safetensors(const std::string& path) { return path.ends_with(".safetensors"); }

std::map<std::string, std::string> metadata_of(const Value& value,
                                               const std::vector<std::string>& entries) {
  std::map<std::string, std::string> all;
  if (const Value* stored_metadata = value.as_dict().attribute("__metadata__");
      stored_metadata && stored_metadata->is_dict())
    for (const auto& [key, v] : stored_metadata->as_dict()) all[key.str()] = v.str();
  for (const std::string& text : entries)
    all[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  return all;
}

/// Returns a copy of a dict of tensors in which all tensors are contiguous. Throws taper::Error if
/// `value` is not such a dict, or if tensors share memory and `unshare` is false.
Value prepare_for_safetensors(const Value& value, const Source& source, bool unshare) {
  if (!is_named_tensors(value)) {
    std::string unsupported_entry;
    if (value.is_dict())
      for (const auto& [key, v] : value.as_dict())
        if (unsupported_entry.empty() && !v.is_tensor() && !taper::foreign_tensor(v))
          unsupported_entry = fmt::format(" ('{}' is {})", printable(key.str(), 60), v.type_name());
    throw taper::TypeError(
        printable(source.file) + ": a safetensors file requires a dict of tensors, got " +
        (value.is_dict() ? "a nested checkpoint" + unsupported_entry : "a " + value.type_name()) +
        advice(value));
  }
  const Contents contents = contents_of(value);
  for (const TensorItem& t : contents.tensors)
    if (t.shares_with != TensorItem::npos && !unshare)
      throw taper::RuntimeError(fmt::format(
          "{}: '{}' and '{}' share memory, which safetensors does not support. Omit one "
          "with --keys, or write both separately with --unshare",
          printable(source.file), printable(contents.tensors[t.shares_with].name),
          printable(t.name)));
  const Value plain = value.as_dict().copy();
  for (const auto& [key, v] : value.as_dict()) {
    if (!v.is_tensor() || v.as_tensor().is_contiguous()) continue;
    if (taper::is_heavily_overlapping(v.as_tensor()))
      throw taper::ValueError(fmt::format(
          "'{}' repeats its elements and would be much larger in the file than in memory. "
          "Omit it with --keys",
          printable(key.str())));
    plain.as_dict().set(key, v.as_tensor().contiguous());
  }
  return plain;
}

}  // namespace

void check_destination(const Destination& to) {
  const bool safetensors = is_safetensors(to.path);
  const bool torch = to.path.ends_with(".pt") || to.path.ends_with(".pth") ||
                     to.path.ends_with(".bin") || to.path.ends_with(".ckpt");
  if (!safetensors && !torch)
    throw UsageError("unknown format of '" + printable(to.path) +
                     "': expected a name that ends in .safetensors, .pt, .pth, .bin or .ckpt");
  if (safetensors && to.legacy)
    throw UsageError("--legacy requires an output file in PyTorch's format, such as .pt");
  if (torch && (!to.metadata.empty() || !to.max_shard_size.empty() || to.unshare))
    throw UsageError(
        "--metadata, --max-shard-size and --unshare require a .safetensors output file");
  for (const std::string& text : to.metadata)
    if (text.find('=') == std::string::npos || text.starts_with("="))
      throw UsageError("--metadata: expected KEY=VALUE, got '" + printable(text) + "'");
  try {
    if (!to.max_shard_size.empty()) taper::ByteCount{to.max_shard_size};
  } catch (const taper::ValueError& error) { throw UsageError(error.what()); }
}

namespace {

/// Rethrows the error. Prepends the path of the input unless the message already contains a path.
[[noreturn]] void throw_with_file(const taper::Error& error, const std::string& from,
                                  const std::string& to) {
  const std::string what = error.what();
  if (what.find(from) != std::string::npos || what.find(to) != std::string::npos) throw;
  taper::throw_error(error.kind(), printable(from) + ": " + what);
}

void write_file(const Value& value, const Source& source, const Destination& to) {
  taper::SaveOptions options;
  if (!is_safetensors(to.path)) {
    options.format = to.legacy ? taper::FileFormat::legacy : taper::FileFormat::zip;
    return taper::save(value, to.path, options);
  }
  options.format = taper::FileFormat::safetensors;
  const Value plain = prepare_for_safetensors(value, source, to.unshare);
  // Hugging Face's libraries reject files without the entry "format".
  auto metadata = metadata_of(value, to.metadata);
  metadata.emplace("format", "pt");
  options.metadata = std::move(metadata);
  if (to.unshare) options.shared = taper::SharedTensors::split;
  if (!to.max_shard_size.empty()) options.max_shard_size = taper::ByteCount(to.max_shard_size);
  taper::save(plain, to.path, options);
}

}  // namespace

void write_to(const Value& value, const Source& source, const Destination& to) {
  check_destination(to);
  const SignalCleanup cleanup(to.path);
  try {
    write_file(value, source, to);
  } catch (const taper::Error& error) { throw_with_file(error, source.file, to.path); }
}

taper::DType parse_dtype(const std::string& name) {
  const std::string plain = name.starts_with("torch.") ? name.substr(6) : name;
  const std::map<std::string, taper::DType> aliases = {{"fp16", taper::float16},
                                                       {"fp32", taper::float32}};
  std::optional<taper::DType> type = taper::io::dtype_named(plain);
  if (!type) type = taper::find_dtype(&taper::DTypeNames::brief, plain);
  if (const auto found = aliases.find(plain); found != aliases.end()) type = found->second;
  if (!type || !taper::is_floating_point(*type))
    throw UsageError("--dtype: expected float64, float32, float16 or bfloat16, got '" +
                     printable(name) + "'");
  return *type;
}

std::vector<std::string> list_output_files(const std::string& path) {
  // Both may exist if an earlier run wrote the other one: the newer file was written now.
  const std::string index = path + ".index.json";
  std::error_code index_error, single_error;
  const auto index_time = std::filesystem::last_write_time(index, index_error);
  const auto single_time = std::filesystem::last_write_time(path, single_error);
  if (index_error || (!single_error && single_time > index_time)) return {path};
  std::vector<std::string> files = {index};
  const std::vector<std::string> shards = inspect_source(index).shards;
  files.insert(files.end(), shards.begin(), shards.end());
  return files;
}

}  // namespace taper::cli
