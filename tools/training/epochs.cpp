#include "epochs.h"

#include <fmt/format.h>

#include <cmath>

namespace training {

std::string epoch_header(Score score) {
  const std::string_view name = score == Score::accuracy ? "acc" : "R2";
  return fmt::format("epoch  train loss  {:>9}  test loss  {:>8}    time\n",
                     fmt::format("train {}", name), fmt::format("test {}", name));
}

namespace {
/// Returns `value`, without the sign if it is NaN: the printed sign of NaN depends on the platform.
double clear_nan_sign(double value) { return std::isnan(value) ? std::abs(value) : value; }
}  // namespace

std::string epoch_line(Score score, std::int64_t epoch, const EpochResult& r) {
  return fmt::format("{:>5}  {:>10.4f}  {:>9}  {:>9.4f}  {:>8}  {:>5.2f}s\n", epoch,
                     clear_nan_sign(r.train_loss), score_text(score, clear_nan_sign(r.train_score)),
                     clear_nan_sign(r.test_loss), score_text(score, clear_nan_sign(r.test_score)),
                     r.seconds);
}

std::string to_csv(Score score, const std::vector<EpochResult>& history) {
  std::string text =
      fmt::format("epoch,train_loss,train_{0},test_loss,test_{0},seconds\n", name_of(score));
  for (std::size_t i = 0; i < history.size(); ++i) {
    const EpochResult& r = history[i];
    text += fmt::format("{},{},{},{},{},{:.3f}\n", i + 1, clear_nan_sign(r.train_loss),
                        clear_nan_sign(r.train_score), clear_nan_sign(r.test_loss),
                        clear_nan_sign(r.test_score), r.seconds);
  }
  return text;
}

}  // namespace training
