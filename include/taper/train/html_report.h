// HtmlReport: a page about a run that opens without a network.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace train {

/// A curve of a chart. Values that are not finite interrupt it.
struct ReportCurve {
  std::string name{};
  std::vector<double> x{}, y{};
};

struct ReportChartOptions {
  std::string x_label = "step";
  bool log_y = false;  ///< logarithmic axis; values that are not positive interrupt a curve
};

struct ReportImageOptions {
  std::int64_t width = 96;  ///< displayed width of an image, in CSS pixels
};

/// Collects charts, tables and images, and writes them as one HTML file without references to other
/// files. The page adapts to the width of the window and to light and dark color schemes.
///
///     train::HtmlReport report("LeNet on digits", "20 epochs, SGD");
///     report.add_chart("Loss", {{"train", steps, train_loss}, {"test", steps, test_loss}});
///     report.add_confusion("Confusion", matrix, {"0", "1", "2"});
///     report.save("runs/lenet/report.html");
///
/// Texts are escaped. Sections appear in the order in which they are added.
class HtmlReport {
 public:
  explicit HtmlReport(std::string title, std::string subtitle = "");

  /// Starts a section with a heading. Following elements belong to it.
  void add_heading(const std::string& title);
  void add_text(const std::string& text);
  /// Adds a table of names and values.
  void add_values(const std::string& title,
                  const std::vector<std::pair<std::string, std::string>>& values);
  /// Adds a table whose first row is its header. Throws ValueError if rows have different lengths.
  void add_table(const std::string& title, const std::vector<std::vector<std::string>>& rows);
  /// Adds a line chart. A curve of more than 500 points is drawn as the means of as many groups.
  /// Throws ValueError if the numbers of x and y values of a curve differ or a curve has no name.
  void add_chart(const std::string& title, const std::vector<ReportCurve>& curves,
                 const ReportChartOptions& options = {});
  /// Adds a confusion matrix: counts of shape (classes, classes), in which rows are true classes
  /// and columns predictions. For more than 30 classes, it is a table of the most frequent
  /// confusions. Throws ShapeError if the matrix is not square or the number of names differs.
  void add_confusion(const std::string& title, const Tensor& matrix,
                     const std::vector<std::string>& classes);
  /// Adds the distribution of the elements of each tensor as a small chart.
  void add_histograms(const std::string& title,
                      const std::vector<std::pair<std::string, Tensor>>& tensors);
  /// Adds images (N, C, H, W) with 1 or 3 channels, uint8 or floating-point values from 0 to 1, and
  /// their captions. Throws ShapeError for other shapes or another number of captions.
  void add_images(const std::string& title, const Tensor& images,
                  const std::vector<std::string>& captions, const ReportImageOptions& options = {});

  /// Returns the page.
  std::string html() const;
  /// Writes the page atomically. Throws IoError with the path if that fails.
  void save(const std::string& path) const;

 private:
  std::string title_, subtitle_, body_;
};

}  // namespace train
}  // namespace taper
