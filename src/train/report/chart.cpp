// Line charts and histograms as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "taper/ops/copy.h"
#include "taper/ops/reduce.h"
#include "train/report/page.h"

namespace taper::train::report {
namespace {

constexpr int kColors = 6;

struct Box {
  double left, right, top, bottom;
};
constexpr double kWidth = 420, kHeight = 230;
constexpr Box kPlot{48, kWidth - 10, 8, kHeight - 30};

/// Maps values to positions. An axis of one value, apart from rounding, is widened.
class Axis {
 public:
  Axis(double low, double high, double first, double last, bool is_log = false)
      : low_(low), high_(high), first_(first), last_(last), is_log_(is_log) {
    const double magnitude = std::max(std::abs(low_), std::abs(high_));
    if (!(high_ - low_ > 1e-9 * magnitude)) {
      const double margin = low_ == 0 ? 0.5 : std::abs(low_) / 2;
      is_log_ ? (low_ /= 2, high_ *= 2) : (low_ -= margin, high_ += margin);
    }
  }
  double at(double value) const {
    return first_ +
           (scaled(value) - scaled(low_)) / (scaled(high_) - scaled(low_)) * (last_ - first_);
  }
  std::vector<double> ticks(int count) const { return axis_ticks(low_, high_, count, is_log_); }

 private:
  double scaled(double value) const { return is_log_ ? std::log10(value) : value; }
  double low_, high_, first_, last_;
  bool is_log_;
};

struct Point {
  double x, y;
};

/// Returns the points of a curve; means of groups if there are more than 500.
std::vector<Point> thin_out(const ReportCurve& curve) {
  constexpr std::size_t kLimit = 500;
  std::vector<Point> points;
  const std::size_t n = curve.x.size(), groups = std::min(n, kLimit);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = g * n / groups, end = (g + 1) * n / groups;
    Point sum{0, 0};
    for (std::size_t i = begin; i < end; ++i) sum.x += curve.x[i], sum.y += curve.y[i];
    const auto count = static_cast<double>(end - begin);
    points.push_back({sum.x / count, sum.y / count});
  }
  return points;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
  bool empty() const { return !(low <= high); }
};

std::string grid_and_labels(const Axis& x, const Axis& y, const std::string& x_label,
                            bool has_integer_x) {
  std::string svg;
  for (const double tick : y.ticks(5))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        kPlot.left, kPlot.right, y.at(tick), kPlot.left - 6, y.at(tick) + 4, number_text(tick));
  for (const double tick : x.ticks(6))
    if (tick == std::round(tick) || !has_integer_x)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                         x.at(tick), kPlot.bottom + 14, number_text(tick));
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kPlot.right,
                     kHeight - 3, escape(x_label));
  return svg;
}

}  // namespace

std::vector<double> axis_ticks(double low, double high, int count, bool is_log) {
  std::vector<double> ticks;
  if (is_log) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9)),
              last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    const int step = std::max(1, (last - first + count) / count);
    for (int e = first; e <= last; e += step) ticks.push_back(std::pow(10, e));
    if (ticks.size() >= 2) return ticks;
    ticks.clear();  // less than two decades: as for a linear axis
  }
  if (!(high > low)) return {low};
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  const int n = static_cast<int>(std::clamp(last - first + 1, 0.0, 4.0 * count));
  for (int i = 0; i < n; ++i) ticks.push_back(first + i == 0 ? 0 : (first + i) * step);
  return ticks;
}

std::string chart_svg(const std::vector<ReportCurve>& curves, const ReportChartOptions& options) {
  const auto is_drawn = [&](const Point& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && (!options.log_y || p.y > 0);
  };
  std::vector<std::vector<Point>> points;
  Range xs, ys;
  bool has_integer_x = true;  // epochs, steps
  for (const ReportCurve& curve : curves) {
    points.push_back(thin_out(curve));
    for (const Point& p : points.back())
      if (is_drawn(p)) xs.add(p.x), ys.add(p.y);
    for (const double v : curve.x) has_integer_x = has_integer_x && v == std::round(v);
  }
  if (xs.empty()) return "<p>No values.</p>\n";
  const Axis x(xs.low, xs.high, kPlot.left, kPlot.right),
      y(ys.low, ys.high, kPlot.bottom, kPlot.top, options.log_y);

  std::string lines, data, legend;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::size_t color = c % kColors;
    std::string path, values;
    bool is_connected = false;
    const Point* last = nullptr;
    for (const Point& p : points[c]) {
      if (!is_drawn(p)) {
        is_connected = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", is_connected ? 'L' : 'M', x.at(p.x), y.at(p.y));
      values +=
          fmt::format("{}[{:.1f},{:.1f},&quot;{}&quot;,&quot;{}&quot;]", values.empty() ? "" : ",",
                      x.at(p.x), y.at(p.y), number_text(p.x), number_text(p.y));
      is_connected = true;
      last = &p;
    }
    // A round cap makes a curve of one point visible.
    lines += fmt::format(
        "<path class=\"curve\" stroke-linecap=\"round\" stroke=\"var(--c{})\" d=\"{}{}\"/>\n",
        color, path, path.find('L') == std::string::npos && last ? "h0.1" : "");
    data += fmt::format("{}[{}]", c ? "," : "", values);
    legend += fmt::format("<span><i style=\"background:var(--c{})\"></i>{} <b>{}</b></span>\n",
                          color, escape(curves[c].name), last ? number_text(last->y) : "-");
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "data-chart=\"{{&quot;width&quot;:{0},&quot;curves&quot;:[{2}]}}\">\n{3}"
      "<line class=\"cursor\" y1=\"{4}\" y2=\"{5}\"/>\n{6}</svg>\n<div "
      "class=\"legend\">{7}</div>\n",
      kWidth, kHeight, data, grid_and_labels(x, y, options.x_label, has_integer_x), kPlot.top,
      kPlot.bottom, lines, legend);
}

std::string histogram_svg(const Tensor& tensor) {
  constexpr int kBins = 30;
  const Tensor flat = tensor.detach().cpu().to(DType::f64).flatten().contiguous();
  Range range;
  double sum = 0, squares = 0;
  std::int64_t finite = 0;
  for (const double v : flat.data<double>()) {
    if (!std::isfinite(v)) continue;
    range.add(v);
    sum += v, ++finite;
  }
  if (range.empty()) return fmt::format("<p>{} elements, none finite</p>\n", flat.numel());
  const double mean = sum / static_cast<double>(finite);
  std::vector<std::int64_t> counts(kBins, 0);
  const double width = (range.high - range.low) / kBins;
  for (const double v : flat.data<double>()) {
    if (!std::isfinite(v)) continue;
    squares += (v - mean) * (v - mean);
    const int bin = width > 0 ? static_cast<int>((v - range.low) / width) : kBins / 2;
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))];
  }
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  std::string bars;
  for (int b = 0; b < kBins; ++b) {
    const double height = 60 * static_cast<double>(counts[static_cast<std::size_t>(b)]) / most;
    if (height > 0)
      bars +=
          fmt::format("<rect class=\"bar\" x=\"{}\" y=\"{:.1f}\" width=\"5.4\" height=\"{:.1f}\"/>",
                      b * 6, 60 - height, height);
  }
  const std::int64_t others = flat.numel() - finite;
  return fmt::format(
      "<svg viewBox=\"0 0 180 76\" role=\"img\">{}<line class=\"grid\" x1=\"0\" x2=\"180\" "
      "y1=\"60\" y2=\"60\"/><text x=\"0\" y=\"73\">{}</text><text x=\"180\" y=\"73\" "
      "text-anchor=\"end\">{}</text></svg>\n<p>mean {}, std {}{}</p>\n",
      bars, number_text(range.low), number_text(range.high), number_text(mean),
      number_text(std::sqrt(squares / static_cast<double>(finite))),
      others ? fmt::format(", {} not finite", others) : "");
}

}  // namespace taper::train::report
