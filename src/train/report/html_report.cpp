#include "taper/train/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "io/append_file.h"
#include "taper/ops/copy.h"
#include "train/events/media.h"
#include "train/report/page.h"

namespace taper::train {
namespace {

using report::escape, report::figure, report::number_text;

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string row(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text += fmt::format("<{0}>{1}</{0}>", tag, escape(cell));
  return text + "</tr>\n";
}

using Counts = std::vector<double>;

std::string confusion_matrix(const Counts& counts, const std::vector<std::string>& classes) {
  const std::size_t n = classes.size();
  std::string table = "<div class=\"scroll\"><table class=\"confusion\">\n<tr><th></th>";
  for (const std::string& name : classes) table += "<th>" + escape(name) + "</th>";
  table += "</tr>\n";
  for (std::size_t i = 0; i < n; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < n; ++j) total += counts[i * n + j];
    table += "<tr><th>" + escape(classes[i]) + "</th>";
    for (std::size_t j = 0; j < n; ++j) {
      const double count = counts[i * n + j];
      // At most this opaque, so that the number can be read on it.
      const double shade = total > 0 ? 0.55 * std::sqrt(count / total) : 0;
      table += fmt::format("<td style=\"background:rgba(var(--accent),{:.2f})\">{}</td>", shade,
                           count > 0 ? number_text(count) : "");
    }
    table += "</tr>\n";
  }
  return table + "</table></div>\n<p>Rows: true classes. Columns: predictions.</p>\n";
}

std::string most_frequent_confusions(const Counts& counts,
                                     const std::vector<std::string>& classes) {
  constexpr std::size_t kShown = 20;
  const std::size_t n = classes.size();
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (i / n != i % n && counts[i] > 0) cells.push_back(i);
  std::stable_sort(cells.begin(), cells.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  if (cells.size() > kShown) cells.resize(kShown);
  std::string table =
      "<div class=\"scroll\"><table>\n" + row({"class", "prediction", "count"}, "th");
  for (const std::size_t i : cells)
    table += row({classes[i / n], classes[i % n], number_text(counts[i])}, "td");
  return table + "</table></div>\n";
}

}  // namespace

HtmlReport::HtmlReport(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void HtmlReport::add_heading(const std::string& title) {
  body_ += "<h2>" + escape(title) + "</h2>\n";
}
void HtmlReport::add_text(const std::string& text) { body_ += "<p>" + escape(text) + "</p>\n"; }

void HtmlReport::add_values(const std::string& title,
                            const std::vector<std::pair<std::string, std::string>>& values) {
  std::string table = "<div class=\"scroll\"><table class=\"values\">\n";
  for (const auto& [name, value] : values) table += row({name, value}, "td");
  body_ += figure(title, table + "</table></div>\n");
}

void HtmlReport::add_table(const std::string& title,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string table = "<div class=\"scroll\"><table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size())
      fail<ValueError>("HtmlReport.add_table: row {} has {} cells, the header has {}", i,
                       rows[i].size(), rows[0].size());
    table += row(rows[i], i == 0 ? "th" : "td");
  }
  body_ += figure(title, table + "</table></div>\n");
}

void HtmlReport::add_chart(const std::string& title, const std::vector<ReportCurve>& curves,
                           const ReportChartOptions& options) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ReportCurve& curve = curves[i];
    if (curve.name.empty()) fail<ValueError>("HtmlReport.add_chart: curve {} has no name", i);
    if (curve.x.size() != curve.y.size())
      fail<ValueError>("HtmlReport.add_chart: the curve '{}' has {} x and {} y values", curve.name,
                       curve.x.size(), curve.y.size());
  }
  body_ += figure(title, report::chart_svg(curves, options));
}

void HtmlReport::add_confusion(const std::string& title, const Tensor& matrix,
                               const std::vector<std::string>& classes) {
  constexpr std::size_t kLargestMatrix = 30;
  const auto n = static_cast<std::int64_t>(classes.size());
  if (!matrix.defined() || matrix.shape() != Shape{n, n})
    fail<ShapeError>("HtmlReport.add_confusion: expected a matrix ({}, {}) for {} classes, got {}",
                     n, n, n, matrix.defined() ? matrix.shape().str() : "an undefined tensor");
  const Tensor dense = matrix.detach().cpu().to(DType::f64).contiguous();
  const Counts counts(dense.data<double>().begin(), dense.data<double>().end());
  body_ += figure(title, classes.size() > kLargestMatrix ? most_frequent_confusions(counts, classes)
                                                         : confusion_matrix(counts, classes));
}

void HtmlReport::add_histograms(const std::string& title,
                                const std::vector<std::pair<std::string, Tensor>>& tensors) {
  std::string charts = "<div class=\"small\">\n";
  for (const auto& [name, tensor] : tensors)
    charts += "<div><h3>" + escape(name) + "</h3>" + report::histogram_svg(tensor) + "</div>\n";
  body_ += figure(title, charts + "</div>\n", "wide");
}

void HtmlReport::add_images(const std::string& title, const Tensor& images,
                            const std::vector<std::string>& captions,
                            const ReportImageOptions& options) {
  if (!images.defined() || images.dim() != 4 || (images.size(1) != 1 && images.size(1) != 3) ||
      images.size(0) != static_cast<std::int64_t>(captions.size()))
    fail<ShapeError>(
        "HtmlReport.add_images: expected images ({}, 1 or 3, H, W) for {} captions, got {}",
        captions.size(), captions.size(),
        images.defined() ? images.shape().str() : "an undefined tensor");
  std::string gallery = "<div class=\"images\">\n";
  for (std::size_t i = 0; i < captions.size(); ++i) {
    const ImageSummary image =
        events::make_image(images.select(0, static_cast<std::int64_t>(i)), "CHW");
    gallery += fmt::format(
        "<div style=\"width:{0}px\"><img width=\"{0}\" alt=\"\" "
        "src=\"data:image/png;base64,{1}\">{2}</div>\n",
        options.width, base64(image.encoded_image), escape(captions[i]));
  }
  body_ += figure(title, gallery + "</div>\n", "wide");
}

std::string HtmlReport::html() const { return report::document(title_, subtitle_, body_); }

void HtmlReport::save(const std::string& path) const {
  io::replace_file("HtmlReport", path, html());
}

}  // namespace taper::train
