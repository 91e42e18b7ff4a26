#include "progress.h"

#include <fmt/format.h>

#include <limits>

#include "run.h"

namespace training {

taper::train::Progress make_progress(const Run& t) {
  const Sums& s = t.sums();
  const std::int64_t epoch = t.epoch() + 1, epochs = t.settings().epochs;
  taper::train::Progress p;
  p.description = fmt::format("epoch {:>{}}/{}", epoch, std::to_string(epochs).size(), epochs);
  p.step = t.batch(), p.total = t.batches_per_epoch();
  const double loss = s.loss / static_cast<double>(t.batch()),
               score = s.score / static_cast<double>(s.seen);
  p.fields = {{"loss", fmt::format("{:.4f}", loss)},
              {std::string(name_of(t.score())), score_text(t.score(), score)}};
  p.samples_per_second = static_cast<double>(s.seen) / s.seconds;
  const std::int64_t left = (epochs - epoch + 1) * t.examples().train_count() - s.seen;
  p.seconds_left = static_cast<double>(left) / p.samples_per_second;
  return p;
}

taper::train::ProgressBar make_progress_bar() {
  return taper::train::ProgressBar(
      {.output = stdout, .line_seconds = std::numeric_limits<double>::infinity()});
}

}  // namespace training
