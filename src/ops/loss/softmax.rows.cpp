#include "ops/loss/softmax.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <bool Log> std::vector<Row> forward_rows() {
  return {row<Softmax<Log>>({{2, 3}}, {.dim = 1}),    row<Softmax<Log>>({{5, 19}}, {.dim = -1}),
          row<Softmax<Log>>({{3, 4, 5}}, {.dim = 0}), row<Softmax<Log>>({{2, 3, 4, 5}}, {.dim = 1}),
          row<Softmax<Log>>({Shape{}}, {.dim = 0}),   row<Softmax<Log>>({{70, 10}}, {.dim = 1})};
}

template <bool Log> std::vector<Row> backward_rows() {
  // The gradient of log_softmax assumes that `output` is a log_softmax, which random samples are
  // not.
  const auto checked = [](Row r) { return Log ? coarse(std::move(r)) : r; };
  return {checked(row<SoftmaxBackward<Log>>({{2, 3}, {2, 3}}, {.dim = 1})),
          checked(row<SoftmaxBackward<Log>>({{5, 19}, {5, 19}}, {.dim = -1})),
          checked(row<SoftmaxBackward<Log>>({{2, 3, 4, 5}, {2, 3, 4, 5}}, {.dim = 1}))};
}

}  // namespace

TAPER_DEFINE_ROWS(softmax) { return forward_rows<false>(); }
TAPER_DEFINE_ROWS(log_softmax) { return forward_rows<true>(); }
TAPER_DEFINE_ROWS(softmax_backward_data) { return backward_rows<false>(); }
TAPER_DEFINE_ROWS(log_softmax_backward_data) { return backward_rows<true>(); }

}  // namespace taper
