// taper show: command-line interface.
#include "show.h"

#include "glob.h"
#include "options.h"
#include "taper/core/error.h"
#include "words.h"

namespace taper::cli {
namespace {

struct ShowOptions {
  std::string file, pattern, key;
  bool stats = false, tree = false;
};

int show(Out& out, const ShowOptions& o, bool as_json) {
  const Source source = open_source(o.file, {.key = o.key});
  const Contents contents = contents_of(source.value);
  Shown shown{source, contents, {}, {}, o.pattern};
  for (std::size_t i = 0; i < contents.tensors.size(); ++i)
    if (o.pattern.empty() || matches_name_or_module(o.pattern, contents.tensors[i].name))
      shown.chosen.push_back(i);
  if (!o.pattern.empty() && shown.chosen.empty())
    throw taper::KeyError(printable(o.file) + ": no tensor name matches '" + printable(o.pattern) +
                          "'. taper show prints the names; * matches any characters");
  if (o.stats)
    for (const std::size_t i : shown.chosen) shown.stats.push_back(stats_of(contents.tensors[i]));
  if (as_json)
    print_json(out, json_of_show(shown, o.tree));
  else
    print_show(out, shown, o.tree);
  return 0;
}

}  // namespace

void add_show(Commands& commands) {
  CLI::App& sub =
      commands.add("show", "list the tensors, other values and modules of a checkpoint",
                   "  taper show model.pt\n"
                   "  taper show model.pt 'layer1.*.weight' --stats\n"
                   "  taper show model/ --tree           a directory with *.index.json\n"
                   "  taper show run.pt --key model_state_dict\n"
                   "  taper show model.safetensors --json | jq '.tensors[].name'");
  const auto o = std::make_shared<ShowOptions>();
  sub.add_option("file", o->file, "checkpoint, index of shards, or directory that contains one")
      ->required();
  sub.add_option(
      "pattern", o->pattern,
      "select tensors by name: * matches any characters, ? one character, [ab] a set; the "
      "name of a module selects all of its tensors");
  sub.add_flag(
      "--stats", o->stats,
      "print minimum, maximum, mean, standard deviation, NaNs and a histogram of each tensor");
  sub.add_flag("--tree", o->tree, "print the modules as a tree with totals");
  sub.add_option("--key", o->key, "select one part of a nested value, such as model_state_dict")
      ->type_name("PATH");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return show(out, *o, common.json); });
}

}  // namespace taper::cli
