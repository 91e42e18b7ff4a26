// taper merge, taper split: joins and creates sharded checkpoints.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "contents.h"
#include "named_tensors.h"
#include "options.h"
#include "rewrite.h"
#include "taper/core/error.h"
#include "taper/io/pickled_module.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

namespace fs = std::filesystem;

struct MergeOptions {
  std::vector<std::string> files;  ///< the inputs, followed by the output
  Destination to{};
};

int merge(Out& out, MergeOptions o, bool as_json) {
  if (o.files.size() < 2)
    throw UsageError("expected shards or an index, followed by the output file");
  o.to.path = o.files.back();
  o.files.pop_back();
  check_destination(o.to);
  const taper::Value all = taper::Value::dict();
  std::map<std::string, std::string> from;  // file that contains each tensor
  Source last;
  for (const std::string& path : o.files) {
    last = open_source(path);
    if (!last.value.is_dict())
      throw taper::TypeError(printable(last.file) +
                             ": expected a shard with a dict of tensors, got a " +
                             last.value.type_name());
    for (const auto& [key, v] : last.value.as_dict()) {
      const auto [other, is_new] = from.emplace(key.str(), last.file);
      if (!is_new)
        throw taper::KeyError(fmt::format("duplicate name '{}' in {} and {}", printable(key.str()),
                                          printable(other->second), printable(last.file)));
      all.as_dict().set(key, v);
    }
    if (const taper::Value* metadata = last.value.as_dict().attribute("__metadata__"))
      if (!all.as_dict().attribute("__metadata__"))
        all.as_dict().set_attribute("__metadata__", *metadata);
  }
  write_to(all, last, o.to);
  if (as_json)
    print_json(out, {{"inputs", o.files}, {"output", o.to.path}, {"tensors", all.size()}});
  else
    out.print("{} -> {}: {}\n",
              o.files.size() == 1 ? printable(o.files[0]) : format_count(o.files.size(), "file"),
              printable(o.to.path), format_count(all.size(), "tensor"));
  return 0;
}

struct SplitOptions {
  std::string from, folder, key;
  bool flatten = false;
  Destination to{};
};

int split(Out& out, SplitOptions o, bool as_json) {
  o.to.path = (fs::path(o.folder) / "model.safetensors").string();
  check_destination(o.to);
  Source source = open_source(o.from, {.key = o.key});
  source.value = o.flatten ? flattened(source.value) : taper::state_dict_of(source.value);
  std::error_code error;
  const bool is_new = fs::create_directories(o.folder, error);
  if (error) throw taper::IoError(printable(o.folder) + ": " + error.message());
  try {
    write_to(source.value, source, o.to);
  } catch (...) {
    if (is_new) fs::remove(o.folder, error);  // fails if the directory is not empty
    throw;
  }
  const std::vector<std::string> files = list_output_files(o.to.path);
  if (as_json) {
    print_json(out, {{"input", source.file},
                     {"output", files.front()},
                     {"files", files},
                     {"tensors", source.value.size()}});
    return 0;
  }
  out.print("{} -> {}: {}", printable(source.file), printable(files.front()),
            format_count(source.value.size(), "tensor"));
  out.print("{}\n", files.size() > 1 ? " in " + format_count(files.size() - 1, "shard")
                                     : ", all in one file");
  return 0;
}

}  // namespace

void add_merge(Commands& commands) {
  CLI::App& sub = commands.add("merge", "join the shards of a checkpoint into one file",
                               "  taper merge model.safetensors.index.json model.safetensors\n"
                               "  taper merge folder/ model.pt\n"
                               "  taper merge pytorch_model-*.bin model.safetensors");
  const auto o = std::make_shared<MergeOptions>();
  sub.add_option("files", o->files, "index, directory or shards, followed by the output file")
      ->required()
      ->type_name("IN... OUT");
  sub.add_flag("--unshare", o->to.unshare,
               "write tensors that share memory separately (safetensors)");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return merge(out, *o, common.json); });
}

void add_split(Commands& commands) {
  CLI::App& sub = commands.add(
      "split", "split a checkpoint into several safetensors files with an index",
      "  taper split model.pt folder/ --max-shard-size 5GB\n"
      "  taper split run.pt folder/ --key model_state_dict --max-shard-size 200MB\n"
      "Writes model-00001-of-0000N.safetensors, ... and model.safetensors.index.json, or only\n"
      "model.safetensors if one file is sufficient.");
  const auto o = std::make_shared<SplitOptions>();
  o->to.max_shard_size = "5GB";
  sub.add_option("IN", o->from, "checkpoint, index of shards, or directory that contains one")
      ->required();
  sub.add_option("OUT_DIR", o->folder, "output directory; created if it does not exist")
      ->required();
  sub.add_option("--max-shard-size", o->to.max_shard_size, "maximum size of a file (default: 5GB)")
      ->type_name("SIZE");
  sub.add_option("--key", o->key, "select one part of a nested value, such as model_state_dict")
      ->type_name("PATH");
  sub.add_flag("--flatten", o->flatten,
               "collect all tensors of a nested value, under the names that taper show prints");
  sub.add_flag("--unshare", o->to.unshare, "write tensors that share memory separately");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return split(out, *o, common.json); });
}

}  // namespace taper::cli
