#include "image_normalization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/data/transforms/functional/misc.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

bool is_valid(const ImageNormalization& n, std::size_t channels) {
  if (n.mean.size() != n.std.size()) return false;
  if (n.mean.size() > 1 && n.mean.size() != channels) return false;
  return std::all_of(n.mean.begin(), n.mean.end(), [](double m) { return std::isfinite(m); }) &&
         std::all_of(n.std.begin(), n.std.end(),
                     [](double s) { return std::isfinite(s) && s > 0; });
}

Value list_of(const std::vector<double>& numbers) {
  return Value::list(Values(numbers.begin(), numbers.end()));
}

}  // namespace

void ImageNormalization::check(int channels) const {
  if (!is_valid(*this, static_cast<std::size_t>(channels)))
    throw UsageError(fmt::format(
        "--mean and --std: expected a finite mean and a positive standard deviation for each of "
        "the {}, or one for all, got {} and {}",
        channels == 1 ? "pixels" : "3 channels", list_of(mean).str(), list_of(std).str()));
}

void ImageNormalization::attach(nn::Module& module) const {
  if (mean.empty()) return;
  module.register_forward_pre_hook([n = *this](nn::Module&, Values& args) {
    args.at(0) = data::transforms::functional::normalize(args.at(0).as_tensor(), n.mean, n.std);
  });
}

Value ImageNormalization::to_value() const {
  if (mean.empty()) return {};
  return Value::dict({{"mean", list_of(mean)}, {"std", list_of(std)}});
}

ImageNormalization ImageNormalization::of_checkpoint(const Value& checkpoint,
                                                     const std::string& file) {
  const Value* const found = checkpoint.is_dict() ? checkpoint.find("normalization") : nullptr;
  ImageNormalization n;
  if (!found || found->is_none()) return n;
  const auto read = [&](const char* key, std::vector<double>& numbers) {
    const Value* const list = found->is_dict() ? found->find(key) : nullptr;
    if (!list || !list->is_list()) return false;
    for (const Value& number : list->as_list()) {
      if (!number.is_float() && !number.is_int()) return false;
      numbers.push_back(number.as_double());
    }
    return !numbers.empty();
  };
  if (!read("mean", n.mean) || !read("std", n.std) || !is_valid(n, n.mean.size()))
    throw ValueError(printable(file) +
                     ": expected a normalization with the lists mean and std, got " +
                     printable(found->str()));
  return n;
}

void add_normalization_options(CLI::App& command, ImageNormalization& normalization,
                               const std::string& default_text) {
  const auto add = [&](const char* name, std::vector<double>& numbers, const char* what) {
    command
        .add_option(
            name, numbers,
            fmt::format("{} of each channel of images, for pixels from 0 to 1 (default: {})", what,
                        default_text))
        ->delimiter(',')
        ->type_name("X,...");
  };
  add("--mean", normalization.mean, "mean");
  add("--std", normalization.std, "standard deviation");
}

}  // namespace taper::cli
