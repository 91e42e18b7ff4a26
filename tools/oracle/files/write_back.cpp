#include "files/write_back.h"

#include <filesystem>

#include "files/describe.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

/// Whether torch.load(weights_only=True) may refuse it: whole modules, names and other objects.
bool needs_trust(const Json& d) {
  const std::string type = d.at("t");
  if (type == "module" || type == "opaque" || type == "global" || type == "frozenset") return true;
  if (type == "bytes" || type == "bytearray") return d["hex"] == "";
  if (type == "dict" && d["class"] == "defaultdict") return true;
  if (!d.contains("items")) return false;
  for (const Json& item : d["items"])
    if (type == "dict" ? needs_trust(item[0]) || needs_trust(item[1]) : needs_trust(item))
      return true;
  return false;
}

}  // namespace

Json write_again(const FileEntry& entry, const std::string& folder, Json& failures) {
  Json written = Json::array();
  const Value v = load(entry.path);
  std::string name = entry.file;
  for (char& c : name)
    if (c == '/' || c == '.') c = '_';
  const std::string file = "zip/" + name + ".pt";
  fs::create_directories(fs::path(folder) / "zip");
  try {
    const std::string path = (fs::path(folder) / file).string();
    save(v, path);
    const Json described = Describer()(v);
    for (const std::string& text : differences(described, Describer()(load(path)), {}))
      failures.push_back("written as " + file + " and read again: " + text);
    written.push_back({{"file", file},
                       {"kind", "torch-zip"},
                       {"expect", "value"},
                       {"value", described},
                       {"python_weights_only", !needs_trust(described)}});
  } catch (const Error& error) { failures.push_back("writing " + file + ": " + error.what()); }
  return written;
}

}  // namespace taper::oracle
