#include "taper/train/summary_writer.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>

#include "core/check.h"
#include "io/host_name.h"
#include "taper/core/dict.h"
#include "taper/core/warning.h"
#include "train/events/event_file_writer.h"
#include "train/events/event_message.h"
#include "train/events/histogram.h"
#include "train/events/hparams.h"
#include "train/events/media.h"
#include "train/events/pr_curve.h"

namespace taper::train {
namespace {

using events::EventFileWriter;

std::string default_folder(const std::string& comment) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%b%d_%H-%M-%S", &local);
  return std::string("runs/") + date.data() + "_" + io::host_name() + comment;
}

/// Returns the number that a scalar summary `name` stores.
double number_of(const char* function, const std::string& name, const Tensor& t) {
  if (!t.defined()) fail<ValueError>("{}: '{}': the tensor is undefined", function, name);
  if (t.numel() != 1)
    fail<AssertionError>(
        "{}: '{}': Tensor should contain one element (0 dimensions). Was given size: {} and {} "
        "dimensions.",
        function, name, t.numel(), t.squeeze().dim());
  return t.detach().item().to_double();
}

double number_of(const char* function, const std::string& name, const Value& value) {
  if (value.is_tensor()) return number_of(function, name, value.as_tensor());
  if (value.is_bool()) return value.as_bool();
  if (!value.is_int() && !value.is_float())
    fail<TypeError>("{}: '{}': expected a number or a tensor with one element, got {}", function,
                    name, value.type_name());
  return value.as_double();
}

/// Returns the names and numbers of a dict.
std::vector<std::pair<std::string, double>> numbers_of(const char* function, const Value& dict) {
  if (!dict.is_dict())
    fail<TypeError>("{}: expected a dict of numbers, got {}", function, dict.type_name());
  std::vector<std::pair<std::string, double>> numbers;
  for (const auto& [name, value] : dict.as_dict()) {
    if (!name.is_string())
      fail<TypeError>("{}: expected strings as keys, got {}", function, name.repr());
    events::check_utf8(function, "the name", name.as_string());
    numbers.emplace_back(name.as_string(), number_of(function, name.as_string(), value));
  }
  return numbers;
}

/// Returns a path by which equal directories are recognized.
std::string normal_path(const std::string& path) {
  std::string normal = (std::filesystem::path(path) / "").lexically_normal().string();
  if (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

}  // namespace

struct SummaryWriter::Impl {
  Impl(std::string folder, SummaryWriterOptions writer_options)
      : log_dir(std::move(folder)), options(std::move(writer_options)) {
    main_writer();
  }

  /// Returns the writer of a directory, which it creates if necessary.
  EventFileWriter& writer(const std::string& folder) {
    auto& found = writers[normal_path(folder)];
    try {
      if (!found) found = std::make_unique<EventFileWriter>(folder, options);
    } catch (...) {
      writers.erase(normal_path(folder));
      throw;
    }
    return *found;
  }
  EventFileWriter& main_writer() {
    EventFileWriter& main = writer(log_dir);
    if (options.purge_step) {
      const double now = events::current_time();
      main.add(events::version_event(now, *options.purge_step));
      main.add(events::session_start_event(now, *options.purge_step));
      options.purge_step.reset();
    }
    return main;
  }

  void add(const events::MessageWriter& value, std::optional<std::int64_t> step,
           std::optional<double> walltime) {
    const std::string event =
        events::summary_event(value, walltime.value_or(events::current_time()), step.value_or(0));
    const std::lock_guard lock(mutex);
    main_writer().add(event);
  }

  /// Writes a run into the file of its directory, or into a new file, which it closes.
  void add_run(const std::string& folder, const std::vector<events::MessageWriter>& values,
               std::optional<std::int64_t> step) {
    const double now = events::current_time();
    const std::lock_guard lock(mutex);
    main_writer();
    const auto open = writers.find(normal_path(folder));
    std::unique_ptr<EventFileWriter> own;
    if (open == writers.end()) own = std::make_unique<EventFileWriter>(folder, options);
    EventFileWriter& run = own ? *own : *open->second;
    for (const events::MessageWriter& value : values)
      run.add(events::summary_event(value, now, step.value_or(0)));
    if (own) own->close();
  }

  void close() {
    const std::lock_guard lock(mutex);
    std::exception_ptr error;
    for (const auto& [folder, writer] : writers) try {
        writer->close();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    writers.clear();
    if (error) std::rethrow_exception(error);
  }

  const std::string log_dir;
  SummaryWriterOptions options;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<EventFileWriter>> writers;  ///< by directory
};

SummaryWriter::SummaryWriter(std::string log_dir, SummaryWriterOptions options) {
  if (log_dir.empty()) log_dir = default_folder(options.comment);
  impl_ = std::make_unique<Impl>(std::move(log_dir), std::move(options));
}

SummaryWriter::SummaryWriter(SummaryWriter&&) noexcept = default;

SummaryWriter& SummaryWriter::operator=(SummaryWriter&& other) noexcept {
  SummaryWriter old(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}

SummaryWriter::~SummaryWriter() {
  if (!impl_) return;
  const auto reported = [](const auto& entry) { return entry.second->has_reported_error(); };
  try {
    const bool is_known = std::any_of(impl_->writers.begin(), impl_->writers.end(), reported);
    try {
      impl_->close();
    } catch (const std::exception& e) {
      if (!is_known) warn(e.what());
    }
  } catch (...) {}  // of the warning handler
}

const std::string& SummaryWriter::get_logdir() const { return impl_->log_dir; }

void SummaryWriter::add_scalar(const std::string& tag, const Scalar& scalar_value,
                               std::optional<std::int64_t> global_step,
                               const ScalarOptions& options) {
  events::check_utf8("add_scalar", "the tag", tag);
  impl_->add(events::scalar_value(tag, scalar_value.to_double(), options), global_step,
             options.walltime);
}

void SummaryWriter::add_scalar(const std::string& tag, const Tensor& scalar_value,
                               std::optional<std::int64_t> global_step,
                               const ScalarOptions& options) {
  events::check_utf8("add_scalar", "the tag", tag);
  add_scalar(tag, number_of("add_scalar", tag, scalar_value), global_step, options);
}

void SummaryWriter::add_scalars(const std::string& main_tag, const Value& tag_scalar_dict,
                                std::optional<std::int64_t> global_step,
                                const SummaryOptions& options) {
  events::check_utf8("add_scalars", "the tag", main_tag);
  const auto numbers = numbers_of("add_scalars", tag_scalar_dict);
  const double walltime = options.walltime.value_or(events::current_time());
  std::string prefix = main_tag;
  std::replace(prefix.begin(), prefix.end(), '/', '_');
  const std::lock_guard lock(impl_->mutex);
  impl_->main_writer();
  for (const auto& [name, number] : numbers)
    impl_->writer(impl_->log_dir + "/" + prefix + "_" + name)
        .add(events::summary_event(events::scalar_value(main_tag, number, {}), walltime,
                                   global_step.value_or(0)));
}

void SummaryWriter::add_tensor(const std::string& tag, const Tensor& tensor,
                               std::optional<std::int64_t> global_step,
                               const SummaryOptions& options) {
  events::check_utf8("add_tensor", "the tag", tag);
  if (tensor.numel() >= (std::int64_t{1} << 31) / static_cast<std::int64_t>(tensor.element_size()))
    fail<ValueError>(
        "add_tensor: tensor is bigger than protocol buffer's hard limit of 2GB in size");
  impl_->add(events::tensor_value(tag, tensor), global_step, options.walltime);
}

void SummaryWriter::add_histogram(const std::string& tag, const Tensor& values,
                                  std::optional<std::int64_t> global_step,
                                  const HistogramOptions& options) {
  events::check_utf8("add_histogram", "the tag", tag);
  const Tensor elements = values.detach().cpu().to(DType::f64).contiguous();
  const HistogramSummary histogram =
      events::make_histogram(elements.data<double>(), options.bins, options.max_bins);
  impl_->add(events::histogram_value(tag, histogram), global_step, options.walltime);
}

void SummaryWriter::add_histogram_raw(const std::string& tag, const HistogramSummary& histogram,
                                      std::optional<std::int64_t> global_step,
                                      const SummaryOptions& options) {
  events::check_utf8("add_histogram_raw", "the tag", tag);
  if (histogram.bucket_limit.size() != histogram.bucket.size())
    fail<ValueError>("add_histogram_raw: bucket_limit and bucket differ in size: {} and {}",
                     histogram.bucket_limit.size(), histogram.bucket.size());
  impl_->add(events::histogram_value(tag, histogram), global_step, options.walltime);
}

void SummaryWriter::add_image(const std::string& tag, const Tensor& img_tensor,
                              std::optional<std::int64_t> global_step,
                              const AddImageOptions& options) {
  events::check_utf8("add_image", "the tag", tag);
  impl_->add(events::image_value(tag, events::make_image(img_tensor, options.dataformats)),
             global_step, options.walltime);
}

void SummaryWriter::add_images(const std::string& tag, const Tensor& img_tensor,
                               std::optional<std::int64_t> global_step,
                               const AddImagesOptions& options) {
  add_image(tag, img_tensor, global_step,
            {.walltime = options.walltime, .dataformats = options.dataformats});
}

void SummaryWriter::add_audio(const std::string& tag, const Tensor& snd_tensor,
                              std::optional<std::int64_t> global_step,
                              const AudioOptions& options) {
  events::check_utf8("add_audio", "the tag", tag);
  impl_->add(events::audio_value(tag, events::make_audio(snd_tensor, options.sample_rate)),
             global_step, options.walltime);
}

void SummaryWriter::add_text(const std::string& tag, const std::string& text_string,
                             std::optional<std::int64_t> global_step,
                             const SummaryOptions& options) {
  events::check_utf8("add_text", "the tag", tag);
  events::check_utf8("add_text", "the text", text_string);
  impl_->add(events::text_value(tag, text_string), global_step, options.walltime);
}

void SummaryWriter::add_pr_curve(const std::string& tag, const Tensor& labels,
                                 const Tensor& predictions, std::optional<std::int64_t> global_step,
                                 const PrCurveOptions& options) {
  events::check_utf8("add_pr_curve", "the tag", tag);
  const std::int64_t count = std::min(options.num_thresholds, events::kMaxThresholds);
  const Tensor points = events::compute_pr_curve(labels, predictions, count, options.weights);
  impl_->add(events::pr_curve_value(tag, count, points), global_step, options.walltime);
}

void SummaryWriter::add_pr_curve_raw(const std::string& tag, const PrCurveCounts& counts,
                                     std::optional<std::int64_t> global_step,
                                     const PrCurveOptions& options) {
  events::check_utf8("add_pr_curve_raw", "the tag", tag);
  impl_->add(events::pr_curve_value(tag, std::min(options.num_thresholds, events::kMaxThresholds),
                                    events::stack_pr_curve(counts)),
             global_step, options.walltime);
}

void SummaryWriter::add_hparams(const Value& hparam_dict, const Value& metric_dict,
                                const HParamsOptions& options) {
  const events::HParamsValues values =
      events::hparams_values(hparam_dict, metric_dict, options.hparam_domain_discrete);
  std::vector<events::MessageWriter> all = {values.experiment, values.session_start,
                                            values.session_end};
  for (const auto& [name, number] : numbers_of("add_hparams", metric_dict))
    all.push_back(events::scalar_value(name, number, {}));
  const std::string run =
      options.run_name.empty() ? std::to_string(events::current_time()) : options.run_name;
  impl_->add_run(impl_->log_dir + "/" + run, all, options.global_step);
}

void SummaryWriter::add_custom_scalars(const std::vector<CustomChartCategory>& layout) {
  impl_->add(events::layout_value(events::layout_message(layout)), {}, {});
}

void SummaryWriter::add_custom_scalars_multilinechart(std::vector<std::string> tags,
                                                      const std::string& category,
                                                      const std::string& title) {
  add_custom_scalars({{category, {{title, "Multiline", std::move(tags)}}}});
}

void SummaryWriter::add_custom_scalars_marginchart(std::vector<std::string> tags,
                                                   const std::string& category,
                                                   const std::string& title) {
  add_custom_scalars({{category, {{title, "Margin", std::move(tags)}}}});
}

void SummaryWriter::flush() {
  const std::lock_guard lock(impl_->mutex);
  for (const auto& [folder, writer] : impl_->writers) writer->flush();
}

void SummaryWriter::close() { impl_->close(); }

}  // namespace taper::train
