#include "taper/train/html_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "train/report/page.h"

namespace {

using namespace taper;
using taper::test::error_text;
using train::HtmlReport;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(HtmlReport, EscapesTexts) {
  HtmlReport report("<a> & \"b\"");
  report.add_text("x < y");
  report.add_values("'v'", {{"<name>", "<value>"}});
  const std::string html = report.html();
  EXPECT_EQ(count(html, "&lt;a&gt; &amp; &quot;b&quot;"), 2u);  // title and heading
  EXPECT_EQ(count(html, "x &lt; y"), 1u);
  EXPECT_EQ(count(html, "<td>&lt;name&gt;</td><td>&lt;value&gt;</td>"), 1u);
  EXPECT_EQ(count(html, "&#39;v&#39;"), 1u);
}

TEST(HtmlReport, DoesNotReferToOtherFiles) {
  HtmlReport report("title");
  report.add_images("images", rand({2, 3, 4, 4}), {"first", "second"});
  const std::string html = report.html();
  EXPECT_EQ(count(html, "http"), 0u);
  EXPECT_EQ(count(html, "src=\"data:image/png;base64,iVBORw0KGgo"), 2u);
  EXPECT_EQ(count(html, "src="), 2u);
}

TEST(HtmlReport, DrawsCurves) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  HtmlReport report("title");
  report.add_chart("chart", {{"loss", {0, 1, 2, 3, 4}, {4, 3, kNan, 1, 0.5}}, {"one", {2}, {2}}});
  const std::string html = report.html();
  EXPECT_EQ(count(html, "class=\"curve\""), 2u);
  EXPECT_EQ(count(html, "d=\"M48.0 8.0L138.5 "), 1u);
  EXPECT_EQ(count(html, "M319.5"), 1u) << "the curve is interrupted by NaN";
  EXPECT_EQ(count(html, "h0.1\""), 1u) << "a curve of one point";
  EXPECT_EQ(count(html, "loss <b>0.5</b>"), 1u);

  HtmlReport empty("title");
  empty.add_chart("none", {{"a", {1}, {kNan}}});
  empty.add_chart("logarithm", {{"a", {1, 2}, {-1, 0}}}, {.log_y = true});
  EXPECT_EQ(count(empty.html(), "No values."), 2u);
}

TEST(HtmlReport, ThinsOutLongCurves) {
  std::vector<double> x(10000), y(10000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i), y[i] = 1;
  HtmlReport report("title");
  report.add_chart("chart", {{"a", x, y}});
  EXPECT_EQ(count(report.html(), "&quot;1&quot;]"), 500u);
}

TEST(AxisTicks, AreRoundNumbers) {
  using train::report::axis_ticks;
  EXPECT_EQ(axis_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(axis_ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(axis_ticks(0.5, 2000, 5, true), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(axis_ticks(3, 5, 4, true), (std::vector<double>{3, 3.5, 4, 4.5, 5}));
}

TEST(AxisTicks, AreFewForNumbersThatDifferInTheLastPlace) {
  const double next = std::nextafter(0.1, 1);
  EXPECT_LE(train::report::axis_ticks(0.1, next, 5).size(), 20u);
  EXPECT_EQ(train::report::axis_ticks(7, 7, 5), std::vector<double>{7});
}

TEST(HtmlReport, DrawsAConstantCurve) {
  // The means of groups of a constant differ in their last place.
  std::vector<double> x(1001), y(1001, 0.1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  HtmlReport report("title");
  report.add_chart("chart", {{"a", x, y}});
  EXPECT_LT(report.html().size(), 100'000u);
}

TEST(HtmlReport, ShowsConfusions) {
  HtmlReport small("title");
  small.add_confusion("confusion", tensor({{8, 2}, {0, 10}}), {"cat", "dog"});
  EXPECT_EQ(count(small.html(), "<td style=\"background:rgba(var(--accent),0.55)\">10</td>"), 1u);
  EXPECT_EQ(count(small.html(), "<td style=\"background:rgba(var(--accent),0.00)\"></td>"), 1u);

  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("class " + std::to_string(i));
  Tensor matrix = zeros({40, 40});
  matrix[3][5] = 7;
  matrix[1][1] = 12345;
  HtmlReport large("title");
  large.add_confusion("confusion", matrix, names);
  EXPECT_EQ(count(large.html(), "<td>class 3</td><td>class 5</td><td>7</td>"), 1u);
  EXPECT_EQ(count(large.html(), "12,345"), 0u);
}

TEST(HtmlReport, DescribesDistributions) {
  HtmlReport report("title");
  const double inf = std::numeric_limits<double>::infinity();
  report.add_histograms("weights", {{"spread", tensor({0.0, 1.0, 2.0, 3.0})},
                                    {"constant", ones({5})},
                                    {"broken", tensor({1.0, inf})},
                                    {"none", tensor({inf})},
                                    {"empty", empty({0})}});
  const std::string html = report.html();
  EXPECT_EQ(count(html, "mean 1.5, std 1.118"), 1u);
  EXPECT_EQ(count(html, "mean 1, std 0<"), 1u);
  EXPECT_EQ(count(html, "mean 1, std 0, 1 not finite"), 1u);
  EXPECT_EQ(count(html, "1 elements, none finite"), 1u);
  EXPECT_EQ(count(html, "0 elements, none finite"), 1u);
}

TEST(HtmlReport, RejectsWrongSizes) {
  HtmlReport report("title");
  const std::string before = report.html();
  EXPECT_EQ(error_text([&] {
              report.add_chart("c", {{"a", {1, 2}, {1}}});
            }),
            "HtmlReport.add_chart: the curve 'a' has 2 x and 1 y values");
  EXPECT_EQ(error_text([&] {
              report.add_confusion("c", zeros({2, 3}), {"a", "b"});
            }),
            "HtmlReport.add_confusion: expected a matrix (2, 2) for 2 classes, got [2, 3]");
  EXPECT_EQ(error_text([&] {
              report.add_images("c", zeros({1, 2, 3, 3}), {"a"});
            }),
            "HtmlReport.add_images: expected images (1, 1 or 3, H, W) for 1 captions, got [1, 2, "
            "3, 3]");
  EXPECT_EQ(error_text([&] {
              report.add_table("t", {{"a", "b"}, {"1"}});
            }),
            "HtmlReport.add_table: row 1 has 1 cells, the header has 2");
  EXPECT_EQ(report.html(), before);
}

TEST(HtmlReport, IsSavedAtomically) {
  const taper::test::TempDir dir;
  HtmlReport report("title");
  report.save(dir / "report.html");
  EXPECT_EQ(taper::test::read_bytes(dir / "report.html"), report.html());
  EXPECT_EQ(dir.count(), 1u);
  EXPECT_NE(
      error_text([&] { report.save(dir / "missing/report.html"); }).find("missing/report.html"),
      std::string::npos);
}

}  // namespace
