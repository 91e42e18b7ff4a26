// taper check: command-line interface and output.
#include "check.h"

#include <fmt/format.h>

#include <algorithm>

#include "json.h"
#include "options.h"
#include "show.h"
#include "taper/core/error.h"
#include "taper/io/load_error.h"
#include "words.h"

namespace taper::cli {
namespace {

using Severity = Finding::Severity;

struct CheckOptions {
  std::string file;
  std::size_t limit = 10;
};

const char* severity_name(Severity v) {
  switch (v) {
    case Severity::ok: return "ok";
    case Severity::note: return "note";
    case Severity::error: return "error";
    case Severity::skipped: break;
  }
  return "skipped";
}

Color severity_color(Severity v) {
  switch (v) {
    case Severity::ok: return Color::green;
    case Severity::note: return Color::yellow;
    case Severity::error: return Color::red;
    case Severity::skipped: break;
  }
  return Color::dim;
}

bool has_checksums(const Source& source) {
  if (source.kind == taper::FileKind::distributed) return true;
  const std::vector<std::string> files = data_files(source);
  return std::all_of(files.begin(), files.end(), [](const std::string& file) {
    const taper::FileKind kind = taper::file_kind(file);
    return kind == taper::FileKind::torch_zip || kind == taper::FileKind::npz;
  });
}

std::vector<Finding> check_all(Source& source) {
  std::vector<Finding> findings;
  bool readable = true;
  try {
    source = open_source(source.path, {.verify = true});
    findings.push_back({Severity::ok, "damage",
                        has_checksums(source)
                            ? "all records are complete and match their checksums"
                            : "the file is complete; its format has no checksums"});
  } catch (const taper::LoadError& error) {
    readable = false;
    const std::string place = error.path() == source.file ? "" : std::string(error.path()) + ": ";
    findings.push_back({Severity::error, "damage", printable(place + error.reason(), 1000)});
  } catch (const taper::Error& error) {
    readable = false;
    findings.push_back({Severity::error, "damage", printable(error.what(), 1000)});
  }
  if (readable) {
    const Contents contents = contents_of(source.value);
    for (const auto& check : {check_values, check_names, check_copies})
      findings.push_back(check(contents));
    std::size_t hooks = 0;
    Finding hooked{Severity::note, "hooks", ""};
    for (const ModuleItem& m : contents.modules)
      if (const std::string text = hooks_text(m); !text.empty()) {
        ++hooks;
        hooked.details.push_back((m.name.empty() ? "(root)" : printable(m.name)) + ": " +
                                 printable(text));
      }
    hooked.text = format_count(hooks, "module") +
                  " with hooks, which Python would run with the model; Taper never runs them";
    if (hooks) findings.push_back(std::move(hooked));
  } else {
    for (const char* name : {"values", "names", "copies"})
      findings.push_back({Severity::skipped, name, "the file cannot be read"});
  }
  findings.push_back(check_code(source));
  return findings;
}

int check(Out& out, const CheckOptions& o, bool as_json) {
  Source source = inspect_source(o.file);
  const std::vector<Finding> findings = check_all(source);
  const auto errors = static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [](const Finding& f) { return f.severity == Severity::error; }));
  if (as_json) {
    Json list = Json::array();
    for (const Finding& f : findings)
      list.push_back({{"check", f.check},
                      {"severity", severity_name(f.severity)},
                      {"text", f.text},
                      {"details", f.details}});
    print_json(out, {{"file", source.file},
                     {"kind", id_of(source.kind)},
                     {"ok", errors == 0},
                     {"checks", list}});
    return errors ? 1 : 0;
  }
  print_heading(out, source);
  out.print("\n");
  for (const Finding& f : findings) {
    out.print(
        "{}  {:<6}  {}\n",
        out.paint(severity_color(f.severity), fmt::format("{:<7}", severity_name(f.severity))),
        f.check, f.text);
    const std::size_t shown = o.limit == 0 ? f.details.size() : std::min(o.limit, f.details.size());
    for (std::size_t i = 0; i < shown; ++i) out.print("                   {}\n", f.details[i]);
    if (shown < f.details.size())
      out.print("                   … and {} more (--limit 0 shows all)\n",
                with_commas(f.details.size() - shown));
  }
  out.print("\n{}\n", errors ? out.paint(Color::red, format_count(errors, "finding"))
                             : out.paint(Color::green, "no findings"));
  return errors ? 1 : 0;
}

}  // namespace

void add_check(Commands& commands) {
  CLI::App& sub = commands.add(
      "check", "report damage, NaN, suspicious names, and code that Python would run",
      "  taper check model.pt\n"
      "  taper check downloaded/ --json\n"
      "The exit status is 1 if an error is found. Notes do not count as findings. Code in\n"
      "the file is never executed.");
  const auto o = std::make_shared<CheckOptions>();
  sub.add_option("file", o->file, "checkpoint, index of shards, or directory that contains one")
      ->required();
  sub.add_option("--limit", o->limit, "maximum number of lines per list (default: 10; 0: all)")
      ->check(line_count())
      ->type_name("N");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return check(out, *o, common.json); });
}

}  // namespace taper::cli
