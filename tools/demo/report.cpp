#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taper/core/dtype.h"

namespace demo {

std::string confusion_text(const Confusion& counts) {
  std::string text = "  true   read as\n        ";
  for (int i = 0; i < 10; ++i) text += fmt::format("{:>4}", i);
  text += "\n";
  for (std::size_t i = 0; i < 10; ++i) {
    text += fmt::format("  {:>4}  ", i);
    for (const int n : counts[i]) text += n ? fmt::format("{:>4}", n) : "   .";
    text += "\n";
  }
  return text;
}

Evaluation evaluate(const taper::Tensor& output, const taper::Tensor& labels) {
  Evaluation v;
  const taper::Tensor rows = output.to(taper::DType::f32).contiguous();
  const auto log_probabilities = rows.data<float>();
  const auto expected = labels.contiguous();
  const auto truth = expected.data<std::int64_t>();
  for (std::size_t n = 0; n < truth.size(); ++n) {
    const auto row = log_probabilities.subspan(10 * n, 10);
    const auto best = std::max_element(row.begin(), row.end());
    const auto predicted = static_cast<std::size_t>(best - row.begin());
    ++v.confusion[static_cast<std::size_t>(truth[n])][predicted];
    if (static_cast<std::int64_t>(predicted) != truth[n])
      v.mistakes.push_back({static_cast<std::int64_t>(n), truth[n],
                            static_cast<std::int64_t>(predicted),
                            std::exp(static_cast<double>(*best))});
  }
  std::stable_sort(
      v.mistakes.begin(), v.mistakes.end(),
      [](const Misclassified& a, const Misclassified& b) { return a.probability > b.probability; });
  return v;
}

namespace {

constexpr std::size_t kPerRow = 4;  // each has 19 columns with its margin; a terminal has 80

/// Returns row `y` of an image as text with two columns per pixel.
std::string pixels(const taper::Tensor& small, std::int64_t image, std::int64_t y) {
  constexpr std::array kShades = {"  ", "░░", "▒▒", "▓▓", "██"};
  const std::int64_t h = small.size(1), w = small.size(2);
  const auto all = small.data<std::uint8_t>();
  std::string text;
  for (std::int64_t x = 0; x < w; ++x) {
    const auto value =
        std::min<std::size_t>(16, all[static_cast<std::size_t>((image * h + y) * w + x)]);
    text += kShades[(value + 2) / 4];
  }
  return text;
}

}  // namespace

std::string mistakes_text(const std::vector<Misclassified>& mistakes, const taper::Tensor& small,
                          std::size_t count) {
  count = std::min(count, mistakes.size());
  std::string text;
  for (std::size_t first = 0; first < count; first += kPerRow) {
    const std::size_t end = std::min(count, first + kPerRow);
    for (std::int64_t y = 0; y < small.size(1); ++y) {
      for (std::size_t i = first; i < end; ++i)
        text += "   " + pixels(small, Digits::kTrain + mistakes[i].image, y);
      text += "\n";
    }
    for (std::size_t i = first; i < end; ++i)
      text += fmt::format("   {:<16}",
                          fmt::format("{} read as {} {:3.0f}%", mistakes[i].label,
                                      mistakes[i].prediction, 100 * mistakes[i].probability));
    text += "\n\n";
  }
  return text;
}

}  // namespace demo
