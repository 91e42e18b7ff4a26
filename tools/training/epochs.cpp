#include "epochs.h"

#include <fmt/format.h>

#include <cmath>

namespace training {

std::string epoch_header() { return "epoch  train loss  train acc  test loss  test acc    time\n"; }

namespace {
/// Returns `value`, without the sign if it is NaN: the printed sign of NaN depends on the platform.
double clear_nan_sign(double value) { return std::isnan(value) ? std::abs(value) : value; }
}  // namespace

std::string epoch_line(std::int64_t epoch, const EpochResult& r) {
  return fmt::format("{:>5}  {:>10.4f}  {:>7.1f} %  {:>9.4f}  {:>6.1f} %  {:>5.2f}s\n", epoch,
                     clear_nan_sign(r.train_loss), 100 * r.train_accuracy,
                     clear_nan_sign(r.test_loss), 100 * r.test_accuracy, r.seconds);
}

std::string to_csv(const std::vector<EpochResult>& history) {
  std::string text =
      "epoch,train_loss,train_accuracy,test_loss,test_accuracy,test_correct,seconds\n";
  for (std::size_t i = 0; i < history.size(); ++i) {
    const EpochResult& r = history[i];
    text += fmt::format("{},{},{},{},{},{},{:.3f}\n", i + 1, clear_nan_sign(r.train_loss),
                        r.train_accuracy, clear_nan_sign(r.test_loss), r.test_accuracy,
                        r.test_correct, r.seconds);
  }
  return text;
}

}  // namespace training
