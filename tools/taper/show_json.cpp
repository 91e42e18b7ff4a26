// taper show: JSON output.
#include "show.h"
#include "tree.h"
#include "words.h"

namespace taper::cli {
namespace {

Json json_of_stats(const TensorStats& s) {
  return {{"count", s.count},           {"min", json_of(s.min)}, {"max", json_of(s.max)},
          {"mean", json_of(s.mean)},    {"std", json_of(s.std)}, {"nan", s.nans},
          {"inf", s.infinities},        {"zero", s.zeros},       {"histogram", s.histogram},
          {"read", s.unread == nullptr}};
}

Json json_of_branch(const Shown& shown, const Branch& b) {
  Json children = Json::array(), own = Json::array();
  for (const Branch& c : b.children) children.push_back(json_of_branch(shown, c));
  for (const std::size_t i : b.own) own.push_back(shown.contents.tensors[i].name);
  return {{"name", b.name},   {"path", b.path}, {"tensors", b.tensors}, {"elements", b.elements},
          {"bytes", b.bytes}, {"own", own},     {"children", children}};
}

}  // namespace

Json json_of_show(const Shown& shown, bool with_tree) {
  const Contents& c = shown.contents;
  Json metadata = Json::object(), tensors = Json::array(), values = Json::array(),
       objects = Json::array(), modules = Json::array();
  for (const auto& [key, text] : c.metadata) metadata[key] = text;
  for (std::size_t n = 0; n < shown.chosen.size(); ++n) {
    const TensorItem& t = c.tensors[shown.chosen[n]];
    Json item = {{"name", t.name},       {"path", t.path},        {"shape", json_of(t.shape)},
                 {"dtype", t.dtype},     {"bytes", t.bytes},      {"parameter", t.parameter},
                 {"foreign", t.foreign}, {"shares_with", nullptr}};
    if (t.shares_with != TensorItem::npos) item["shares_with"] = c.tensors[t.shares_with].name;
    if (!shown.stats.empty()) item["stats"] = json_of_stats(shown.stats[n]);
    tensors.push_back(std::move(item));
  }
  for (const OtherItem& v : c.others)
    values.push_back(
        {{"name", v.name}, {"type", v.value.type_name()}, {"value", json_of(v.value)}});
  for (const OpaqueItem& o : c.opaques)
    objects.push_back({{"name", o.name}, {"class", o.class_name}});
  for (const ModuleItem& m : c.modules) {
    Json hooks = Json::object();
    for (const auto& [kind, count] : m.hooks) hooks[kind] = count;
    modules.push_back({{"name", m.name},
                       {"class", m.class_name},
                       {"arguments", m.arguments},
                       {"training", m.training},
                       {"hooks", hooks},
                       {"hook_names", m.hook_names}});
  }
  const Branch root = build_tree(c, shown.chosen);
  Json totals = Json::array();
  for (const Branch& b : skip_single_children(root).children)
    totals.push_back(
        {{"module", b.path}, {"tensors", b.tensors}, {"elements", b.elements}, {"bytes", b.bytes}});
  Json shards = Json::array();
  for (const std::string& shard : shown.source.shards) shards.push_back(file_name(shard));
  Json json = {{"file", shown.source.file},
               {"kind", id_of(shown.source.kind)},
               {"bytes", shown.source.bytes},
               {"shards", shards},
               {"type", c.type},
               {"metadata", metadata},
               {"tensors", tensors},
               {"totals",
                {{"tensors", root.tensors},
                 {"elements", root.elements},
                 {"bytes", root.bytes},
                 {"storage", stored_bytes(c, shown.chosen)}}},
               {"modules_totals", totals},
               {"values", values},
               {"objects", objects},
               {"modules", modules},
               {"complete", c.complete}};
  if (with_tree) json["tree"] = json_of_branch(shown, root);
  return json;
}

}  // namespace taper::cli
