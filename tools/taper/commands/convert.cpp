// taper convert: writes a checkpoint in another format, with other names or dtypes.
#include <fmt/format.h>

#include <filesystem>

#include "contents.h"
#include "options.h"
#include "rewrite.h"
#include "taper/io/pickled_module.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

struct ConvertOptions {
  std::string from, key, dtype, prefix;
  std::vector<std::string> globs, regexes, keys;
  bool state_dict = false, flatten = false;
  Destination to{};
};

int convert(Out& out, const ConvertOptions& o, bool as_json) {
  check_destination(o.to);
  Rewrite how;
  if (!o.dtype.empty()) how.dtype = parse_dtype(o.dtype);
  how.prefix = o.prefix, how.keys = o.keys, how.flatten = o.flatten;
  how.scratch_folder = std::filesystem::absolute(o.to.path).parent_path().string();
  for (const std::string& rule : o.globs) how.renames.add_glob(rule);
  for (const std::string& rule : o.regexes) how.renames.add_regex(rule);
  Source source = open_source(o.from, {.key = o.key});
  // Renaming and safetensors files require a dict of tensors.
  if (o.state_dict || how.changes_names() || o.to.path.ends_with(".safetensors"))
    source.value = taper::state_dict_of(source.value);
  const RewriteResult done = rewrite(source, how);
  write_to(done.value, source, o.to);

  const Contents contents = contents_of(done.value);
  std::uint64_t bytes = 0;
  for (const TensorItem& t : contents.tensors)
    if (t.shares_with == TensorItem::npos) bytes += t.bytes;
  const std::vector<std::string> files = list_output_files(o.to.path);
  if (as_json) {
    print_json(out, {{"input", source.file},
                     {"output", o.to.path},
                     {"files", files},
                     {"tensors", contents.tensors.size()},
                     {"bytes", bytes},
                     {"left_out", done.left_out},
                     {"renamed", done.renamed},
                     {"converted", done.converted},
                     {"overflowed", done.overflowed}});
    return 0;
  }
  out.print("{} -> {}: {}, {}", printable(source.file), printable(files.front()),
            format_count(contents.tensors.size(), "tensor"), format_bytes(bytes));
  if (files.size() > 1) out.print(" in {}", format_count(files.size() - 1, "shard"));
  if (done.left_out) out.print(", {} omitted", with_commas(done.left_out));
  if (done.renamed) out.print(", {} renamed", with_commas(done.renamed));
  if (how.dtype)
    out.print(", {} converted to {}", with_commas(done.converted), taper::name_of(*how.dtype));
  out.print("\n");
  if (done.overflowed)
    out.print(
        "{}\n",
        out.paint(Color::yellow,
                  fmt::format("{} out of range of {}: {} infinite",
                              format_count(static_cast<std::uint64_t>(done.overflowed), "element"),
                              taper::name_of(*how.dtype),
                              done.overflowed == 1 ? "it became" : "they became")));
  return 0;
}

}  // namespace

void add_convert(Commands& commands) {
  CLI::App& sub =
      commands.add("convert", "convert the format, names, dtypes or parts of a checkpoint",
                   "  taper convert model.pt model.safetensors --metadata author=me\n"
                   "  taper convert run.pt weights.safetensors --key model_state_dict\n"
                   "  taper convert model.safetensors half.pt --dtype float16\n"
                   "  taper convert array.npy array.safetensors --flatten --prefix weight\n"
                   "  taper convert ddp.pt model.pt --rename 'module.*=*'\n"
                   "  taper convert model.pt backbone.pt --keys 'layer*' --rename-regex "
                   "'\\.bn([0-9])\\.=.norm$1.'\n"
                   "  taper convert model.pt sharded/model.safetensors --max-shard-size 5GB\n"
                   "The suffix of OUT selects the format: .safetensors, or .pt, .pth, .bin, .ckpt "
                   "for PyTorch's.");
  const auto o = std::make_shared<ConvertOptions>();
  sub.add_option("IN", o->from, "checkpoint, index of shards, or directory that contains one")
      ->required();
  sub.add_option("OUT", o->to.path, "output file; an existing file is replaced")->required();
  sub.add_option("--key", o->key, "select one part of a nested value, such as model_state_dict")
      ->type_name("PATH");
  sub.add_flag("--flatten", o->flatten,
               "collect all tensors of a nested value in one dict, under the names that taper show "
               "prints; other values are omitted");
  sub.add_option("--keys", o->keys,
                 "select tensors by name, with patterns as in taper show; repeatable")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  sub.add_option(
         "--rename", o->globs,
         "rename tensors whose whole name matches the glob OLD; each * in NEW is replaced with "
         "the text that the corresponding * of OLD matched; repeatable")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  sub.add_option(
         "--rename-regex", o->regexes,
         "replace every match of the regular expression OLD in a name; $1 in NEW is the first "
         "group; repeatable")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  sub.add_option("--prefix", o->prefix, "prefix to prepend to every name, after renaming")
      ->type_name("TEXT");
  sub.add_option("--dtype", o->dtype,
                 "new dtype of floating-point tensors: float64, float32, float16 or bfloat16")
      ->type_name("TYPE");
  sub.add_flag("--state-dict", o->state_dict, "replace whole modules with their state dicts");
  sub.add_option("--metadata", o->to.metadata, "metadata entry of a safetensors file; repeatable")
      ->type_name("K=V")
      ->allow_extra_args(false);
  sub.add_option("--max-shard-size", o->to.max_shard_size,
                 "maximum size of a safetensors file, such as 5GB or 512MiB; writes several files "
                 "and an index")
      ->type_name("SIZE");
  sub.add_flag("--unshare", o->to.unshare,
               "write tensors that share memory separately (safetensors)");
  sub.add_flag("--legacy", o->to.legacy, "write PyTorch's format from before 1.6 (.pt)");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return convert(out, *o, common.json); });
}

}  // namespace taper::cli
