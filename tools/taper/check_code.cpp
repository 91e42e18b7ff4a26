// check_code: reports code that Python would run when it loads a file.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check.h"
#include "taper/core/error.h"
#include "taper/io/pickle_scan.h"
#include "words.h"

namespace taper::cli {

using taper::FileKind, taper::PickleRisk;
using Severity = Finding::Severity;

namespace {

std::string describe_risk(const taper::PickledGlobal& g) {
  std::string text = printable(g.name, 120);
  if (g.modified) return text + ": modified";
  if (g.calls)
    return text +
           (g.calls == 1 ? ": called" : fmt::format(": called {} times", with_commas(g.calls)));
  return text + ": referenced";
}

std::string module_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

/// Scans the pickles of all files of a checkpoint and merges the results.
taper::PickleScan scan_all(const Source& source) {
  const std::vector<std::string> files = data_files(source);
  taper::PickleScan all;
  std::map<std::string, std::size_t> indices;
  for (const std::string& file : files) {
    const std::string mark = files.size() > 1 ? file_name(file) + ": " : "";
    taper::PickleScan scan;
    try {
      scan = taper::scan_pickles(file);
    } catch (const taper::IoError& error) {
      if (files.size() == 1) throw;
      scan.stopped.emplace_back("the file cannot be read");
    }
    all.pickles += scan.pickles;
    for (std::string& stopped : scan.stopped) all.stopped.push_back(mark + stopped);
    for (taper::PickledGlobal& g : scan.globals) {
      const auto [place, is_new] = indices.emplace(g.name, all.globals.size());
      if (is_new) {
        g.record = mark + g.record;
        all.globals.push_back(std::move(g));
        continue;
      }
      taper::PickledGlobal& known = all.globals[place->second];
      known.mentions += g.mentions, known.calls += g.calls;
      known.modified = known.modified || g.modified;
      known.risk = std::max(known.risk, g.risk);
    }
  }
  return all;
}

}  // namespace

Finding check_code(const Source& source) {
  Finding f{Severity::ok, "code", ""};
  const taper::PickleScan scan = scan_all(source);
  const bool can_contain_code =
      source.kind == FileKind::torchscript || source.kind == FileKind::keras;
  if (scan.pickles == 0 && scan.stopped.empty()) {
    f.text = "no pickles: the file contains no code that Python could run";
    if (can_contain_code || source.kind == FileKind::torch_tar)
      f = {Severity::error, "code", "files of this format can contain code"};
    return f;
  }
  std::size_t dangerous = 0, foreign = 0, classes = 0, data = 0;
  for (const taper::PickledGlobal& g : scan.globals) {
    switch (g.risk) {
      case PickleRisk::allowed: continue;
      case PickleRisk::data: ++data; break;
      case PickleRisk::torch_class: ++classes; break;
      case PickleRisk::code:
        ++foreign;
        f.details.push_back(describe_risk(g) + "; Python would import " +
                            printable(module_of(g.name), 120));
        break;
      case PickleRisk::dangerous:
        ++dangerous;
        f.details.push_back(describe_risk(g) + "; dangerous" +
                            (g.record.empty()
                                 ? fmt::format(", byte {}", g.at)
                                 : fmt::format(", byte {} of {}", g.at, printable(g.record))));
        break;
    }
  }
  for (const std::string& stopped : scan.stopped)
    f.details.push_back("incomplete scan: " + printable(stopped));
  if (dangerous)
    f.text = "loading the file in Python would run arbitrary code: do not load it";
  else if (foreign)
    f.text =
        "loading the file in Python would import and run code outside of PyTorch; Taper runs none "
        "of it";
  else if (can_contain_code)
    f.text = "files of this format can contain code";
  else if (!scan.stopped.empty())
    f.text = source.kind == FileKind::torch_tar
                 ? "the file was scanned in part only, and the rest may run code in Python"
                 : "a pickle is damaged and was scanned only up to the damaged position";
  else if (source.kind == FileKind::npy || source.kind == FileKind::npz)
    f.text = "arrays of objects are pickles, which reference only data types";
  else if (classes || data)
    f.text = fmt::format("only PyTorch's own classes{}: torch.load(weights_only=True) rejects {}",
                         data ? " and data types" : "",
                         classes ? "them, weights_only=False runs no other code" : "some of them");
  else
    f.text = "only names that torch.load(weights_only=True) allows";
  if (dangerous || foreign || can_contain_code || !scan.stopped.empty())
    f.severity = Severity::error;
  return f;
}

}  // namespace taper::cli
