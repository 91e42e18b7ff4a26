// Options of the methods of SummaryWriter.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace train {

struct SummaryWriterOptions {
  std::string comment{};  ///< appended to the default directory
  /// First step of a restarted run: TensorBoard hides events of this and later steps that earlier
  /// files of the directory contain.
  std::optional<std::int64_t> purge_step{};
  /// Number of pending events that are written at once. A call waits if the disk does not keep up.
  std::int64_t max_queue = 10;
  double flush_secs = 120;        ///< time after which pending events are written, in seconds
  std::string filename_suffix{};  ///< appended to the name of each event file
};

/// Options of text, custom charts and tensors. In all options, `walltime` is the time of the event
/// in seconds since 1970; by default the current time.
struct SummaryOptions {
  std::optional<double> walltime{};
};

struct ScalarOptions {
  std::optional<double> walltime{};
  bool new_style = false;         ///< writes a tensor instead of a `simple_value`
  bool double_precision = false;  ///< float64 if `new_style`
};

/// Bins of a histogram: the name of a method ("tensorflow" or a method of numpy.histogram: "auto",
/// "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"), a number of bins of equal width, or
/// the edges.
class HistogramBins {
 public:
  HistogramBins(const char* method) : spec_(std::string(method)) {}
  HistogramBins(std::string method) : spec_(std::move(method)) {}
  HistogramBins(std::int64_t count) : spec_(count) {}
  HistogramBins(int count) : spec_(std::int64_t{count}) {}
  HistogramBins(std::initializer_list<double> edges) : spec_(std::vector<double>(edges)) {}
  HistogramBins(std::vector<double> edges) : spec_(std::move(edges)) {}

  const std::variant<std::string, std::int64_t, std::vector<double>>& spec() const { return spec_; }

 private:
  std::variant<std::string, std::int64_t, std::vector<double>> spec_;
};

struct HistogramOptions {
  HistogramBins bins = "tensorflow";
  std::optional<double> walltime{};
  std::optional<std::int64_t> max_bins{};  ///< merges neighboring bins if there are more
};

struct AddImageOptions {
  std::optional<double> walltime{};
  /// Order of the dimensions: CHW, HWC, HW, WH, NCHW, NHWC and other permutations.
  std::string dataformats = "CHW";
};
struct AddImagesOptions {
  std::optional<double> walltime{};
  std::string dataformats = "NCHW";  ///< as in AddImageOptions
};

struct AudioOptions {
  std::int64_t sample_rate = 44100;  ///< in Hz
  std::optional<double> walltime{};
};

struct PrCurveOptions {
  std::int64_t num_thresholds = 127;  ///< at most 127 are used
  Tensor weights{};                   ///< broadcast against the labels; 1 if undefined
  std::optional<double> walltime{};
};

/// Points of a precision-recall curve: tensors of shape (num_thresholds).
struct PrCurveCounts {
  Tensor true_positive_counts{}, false_positive_counts{}, true_negative_counts{},
      false_negative_counts{}, precision{}, recall{};
};

struct HParamsOptions {
  /// Dict from names of hyperparameters to lists of their possible values; None: no such values.
  Value hparam_domain_discrete{};
  /// Subdirectory of the run; by default the current time. With ".", the events are written to the
  /// file of the writer.
  std::string run_name{};
  std::optional<std::int64_t> global_step{};
};

/// Chart of the custom scalars dashboard. Its type is "Multiline" or "Margin". A margin chart has
/// three tags: the value, the lower bound and the upper bound.
struct CustomChart {
  std::string title{};
  std::string type = "Multiline";
  std::vector<std::string> tags{};
};
struct CustomChartCategory {
  std::string title{};
  std::vector<CustomChart> charts{};
};

}  // namespace train
}  // namespace taper
