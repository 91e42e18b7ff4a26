// SummaryWriter: writes event files that TensorBoard displays.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/scalar.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/train/event_records.h"
#include "taper/train/summary_options.h"

namespace TAPER_API taper {
namespace train {

/// Writes scalars, histograms, images, sounds, texts and other summaries to an event file in
/// `log_dir`, which TensorBoard displays. PyTorch: torch.utils.tensorboard.SummaryWriter.
///
///     train::SummaryWriter writer("runs/lenet");
///     writer.add_scalar("loss/train", loss, step);
///     writer.add_histogram("fc1.weight", net.fc1.weight, step);
///     writer.close();
///
/// A thread writes the events; the methods convert their arguments and return. Events are in the
/// file after `flush` or `close`, after `flush_secs`, and whenever `max_queue` of them are pending.
/// Methods may be called by several threads.
///
/// If the file cannot be written, was removed, or was replaced, the next calls and `close` throw
/// IoError with its name. A method throws ValueError if a tag or text is not UTF-8, before anything
/// is written. `global_step` is 0 by default.
class SummaryWriter {
 public:
  /// Creates `log_dir` and an event file in it. The default directory is
  /// runs/<date>_<host><comment>. Throws IoError if they cannot be created, ValueError for invalid
  /// options.
  explicit SummaryWriter(std::string log_dir = "", SummaryWriterOptions options = {});
  SummaryWriter(SummaryWriter&&) noexcept;
  SummaryWriter& operator=(SummaryWriter&&) noexcept;
  /// Closes the files. An error that was not thrown by a call before is a warning.
  ~SummaryWriter();

  /// Returns the directory. PyTorch: get_logdir.
  const std::string& get_logdir() const;

  /// Adds a number, or a tensor with one element. Throws AssertionError for other tensors, with
  /// PyTorch's message.
  void add_scalar(const std::string& tag, const Scalar& scalar_value,
                  std::optional<std::int64_t> global_step = {}, const ScalarOptions& options = {});
  void add_scalar(const std::string& tag, const Tensor& scalar_value,
                  std::optional<std::int64_t> global_step = {}, const ScalarOptions& options = {});
  /// Adds the numbers of the dict `tag_scalar_dict` to one chart. The curve `name` is the run
  /// `<main_tag>_<name>`, a subdirectory with its own event file.
  void add_scalars(const std::string& main_tag, const Value& tag_scalar_dict,
                   std::optional<std::int64_t> global_step = {},
                   const SummaryOptions& options = {});
  /// Adds a tensor of any shape. Throws ValueError if it has 2 GiB or more.
  void add_tensor(const std::string& tag, const Tensor& tensor,
                  std::optional<std::int64_t> global_step = {}, const SummaryOptions& options = {});

  /// Adds a histogram of the elements of `values`. Throws ValueError if `values` is empty, if no
  /// element is within the bins, or if the bins are invalid.
  void add_histogram(const std::string& tag, const Tensor& values,
                     std::optional<std::int64_t> global_step = {},
                     const HistogramOptions& options = {});
  /// Adds a histogram. Throws ValueError if `bucket_limit` and `bucket` have different sizes.
  void add_histogram_raw(const std::string& tag, const HistogramSummary& histogram,
                         std::optional<std::int64_t> global_step = {},
                         const SummaryOptions& options = {});

  /// Adds an image with 1, 3 or 4 channels, or 2 (gray and alpha). Elements of type uint8 are from
  /// 0 to 255, all others from 0 to 1; values outside are clipped. Throws AssertionError if
  /// `dataformats` repeats a letter or its length is not the number of dimensions, ValueError for
  /// other invalid formats and for unsupported shapes.
  void add_image(const std::string& tag, const Tensor& img_tensor,
                 std::optional<std::int64_t> global_step = {}, const AddImageOptions& options = {});
  /// Adds a batch of images with 1 or 3 channels as a grid with 8 images per row, as `add_image`.
  void add_images(const std::string& tag, const Tensor& img_tensor,
                  std::optional<std::int64_t> global_step = {},
                  const AddImagesOptions& options = {});

  /// Adds a sound of shape (1, L) or (L), L > 1, with values in [-1, 1], as 16-bit WAV. Values
  /// outside are clipped, with a warning. Throws AssertionError for other shapes.
  void add_audio(const std::string& tag, const Tensor& snd_tensor,
                 std::optional<std::int64_t> global_step = {}, const AudioOptions& options = {});
  /// Adds a text in Markdown, with the tag `<tag>/text_summary`.
  void add_text(const std::string& tag, const std::string& text_string,
                std::optional<std::int64_t> global_step = {}, const SummaryOptions& options = {});

  /// Adds a precision-recall curve of binary `labels` and the scores `predictions` in [0, 1], of
  /// the same shape. Throws ShapeError if the shapes differ.
  void add_pr_curve(const std::string& tag, const Tensor& labels, const Tensor& predictions,
                    std::optional<std::int64_t> global_step = {},
                    const PrCurveOptions& options = {});
  /// Adds a precision-recall curve with these points. `options.weights` is ignored.
  void add_pr_curve_raw(const std::string& tag, const PrCurveCounts& counts,
                        std::optional<std::int64_t> global_step = {},
                        const PrCurveOptions& options = {});

  /// Adds a run with hyperparameters and its results to the HParams dashboard. `hparam_dict` is a
  /// dict of names to numbers, bools, strings, tensors with one element, or None, `metric_dict` of
  /// names to numbers. Throws TypeError or ValueError for other values.
  void add_hparams(const Value& hparam_dict, const Value& metric_dict,
                   const HParamsOptions& options = {});
  /// Adds charts that combine scalars. Call it once per writer. Throws ValueError for an unknown
  /// type of chart, AssertionError for a margin chart without three tags.
  void add_custom_scalars(const std::vector<CustomChartCategory>& layout);
  void add_custom_scalars_multilinechart(std::vector<std::string> tags,
                                         const std::string& category = "default",
                                         const std::string& title = "untitled");
  void add_custom_scalars_marginchart(std::vector<std::string> tags,
                                      const std::string& category = "default",
                                      const std::string& title = "untitled");

  /// Waits until all events are passed to the operating system. Throws IoError if a file could not
  /// be written.
  void flush();
  /// Writes pending events and closes the files. A later method creates a new event file. Throws
  /// IoError if a file could not be written; the files are closed then, too.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace train
}  // namespace taper
