// The document of a report: style, script, texts.
#include "train/report/page.h"

#include <fmt/format.h>

#include <cmath>

#include "core/number_text.h"

namespace taper::train::report {
namespace {

// Colors are variables, so that one sheet serves both schemes.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #fff; --panel: #f7f8fa; --text: #1c2430; --faint: #5d6b7e;
  --line: #d9dee6; --accent: 37, 99, 235; --c0: #2563eb; --c1: #d97706; --c2: #059669; --c3: #db2777;
  --c4: #7c3aed; --c5: #0e7490; }
@media (prefers-color-scheme: dark) { :root { --page: #12161d; --panel: #1a2029; --text: #e6eaf0;
  --faint: #9aa7b8; --line: #333d4b; --accent: 96, 165, 250; --c0: #60a5fa; --c1: #fbbf24;
  --c2: #34d399; --c3: #f472b6; --c4: #a78bfa; --c5: #22d3ee; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 24px 16px 48px; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; line-height: 1.2; margin: 0; }
h2 { font-size: 18px; margin: 32px 0 0; grid-column: 1 / -1; }
p { margin: 4px 0; grid-column: 1 / -1; }
.subtitle { color: var(--faint); }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
  gap: 16px; }
figure { margin: 0; padding: 12px 14px; background: var(--panel); border: 1px solid var(--line);
  border-radius: 8px; min-width: 0; position: relative; }
figure.wide { grid-column: 1 / -1; }
figcaption { font-weight: 600; margin-bottom: 6px; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--faint); font: 11px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.bar { fill: var(--c0); }
.cursor { stroke: var(--faint); stroke-dasharray: 3 3; visibility: hidden; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; color: var(--faint); }
.legend i { display: inline-block; width: 14px; height: 3px; border-radius: 2px;
  vertical-align: middle; margin-right: 5px; }
.legend b { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 3px 10px; text-align: right; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 500; }
tr > :first-child { text-align: left; }
.values td { text-align: left; overflow-wrap: anywhere; }
.confusion td { padding: 4px 6px; min-width: 34px; text-align: center; border: 1px solid var(--page); }
.confusion th { padding: 4px 8px; }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 14px; }
.small h3 { margin: 0; font-size: 13px; font-weight: 600; overflow-wrap: anywhere; }
.small p { font-size: 12px; color: var(--faint); }
.images { display: flex; flex-wrap: wrap; gap: 12px; }
.images div { font-size: 12px; color: var(--faint); overflow-wrap: anywhere; }
.images img { display: block; image-rendering: pixelated; border: 1px solid var(--line); }
@media (max-width: 500px) {
  body { padding: 16px 10px 32px; }
  figure { padding: 10px; }
  th, td { padding: 3px 6px; }
  .scroll td:not(:first-child) { overflow-wrap: anywhere; }
  .small { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .confusion td { min-width: 26px; padding: 3px 2px; }
  .confusion th { padding: 3px 4px; }
  svg[data-chart] text { font-size: 12.5px; }
}
)";

// Shows the values of all curves at the position of the pointer.
constexpr std::string_view kScript = R"(
for (const svg of document.querySelectorAll("svg[data-chart]")) {
  const chart = JSON.parse(svg.dataset.chart), cursor = svg.querySelector(".cursor");
  const labels = svg.parentNode.querySelectorAll(".legend b");
  const last = [...labels].map(l => l.textContent);
  svg.addEventListener("pointermove", event => {
    const box = svg.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width * chart.width;
    let shown = null;
    chart.curves.forEach((curve, i) => {
      let best = null;
      for (const point of curve)
        if (best === null || Math.abs(point[0] - at) < Math.abs(best[0] - at)) best = point;
      if (best === null) return;
      labels[i].textContent = best[3] + " at " + best[2];
      if (shown === null || Math.abs(best[0] - at) < Math.abs(shown - at)) shown = best[0];
    });
    if (shown === null) return;
    cursor.setAttribute("x1", shown); cursor.setAttribute("x2", shown);
    cursor.style.visibility = "visible";
  });
  svg.addEventListener("pointerleave", () => {
    cursor.style.visibility = "hidden";
    labels.forEach((label, i) => label.textContent = last[i]);
  });
}
)";

}  // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string number_text(double value) {
  const bool is_integer = std::abs(value) < 1e12 && value == std::floor(value);
  return is_integer ? with_commas(static_cast<std::int64_t>(value)) : fmt::format("{:.4g}", value);
}

std::string figure(const std::string& title, const std::string& contents,
                   std::string_view css_class) {
  return fmt::format("<figure class=\"{}\"><figcaption>{}</figcaption>\n{}</figure>\n", css_class,
                     escape(title), contents);
}

std::string document(const std::string& title, const std::string& subtitle,
                     const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
      "<p class=\"subtitle\">{1}</p>\n<main>\n{3}</main>\n<script>{4}</script>\n</body>\n</html>\n",
      escape(title), escape(subtitle), kStyle, body, kScript);
}

}  // namespace taper::train::report
