// Parts of the page of HtmlReport.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "taper/train/html_report.h"

namespace taper::train::report {

/// Returns `text` with the characters <, >, & and quotes escaped.
std::string escape(std::string_view text);
/// Returns a number with at most four significant digits: "0.0125", "1.2e-07", "431,080".
std::string number_text(double value);

/// Returns a figure: a title and its contents, which are HTML.
std::string figure(const std::string& title, const std::string& contents,
                   std::string_view css_class = "");

/// Positions of the labels of an axis from `low` to `high`, at most about `count`: multiples of 1,
/// 2 or 5 times a power of ten; powers of ten if `is_log`.
std::vector<double> axis_ticks(double low, double high, int count, bool is_log = false);

/// Returns the chart of curves as SVG, with its legend.
std::string chart_svg(const std::vector<ReportCurve>& curves, const ReportChartOptions& options);
/// Returns the histogram of the elements of a tensor as SVG, with a line of statistics.
std::string histogram_svg(const Tensor& tensor);

/// Returns the document around the contents.
std::string document(const std::string& title, const std::string& subtitle,
                     const std::string& body);

}  // namespace taper::train::report
