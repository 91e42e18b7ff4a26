#include "taper/dist/metrics.h"

#include "taper/core/dict.h"
#include "taper/dist/objects.h"

namespace taper::distributed::detail {

void merge_over_ranks(const metrics::Metric& metric, metrics::Metric& total, metrics::Metric& part,
                      const Group& group) {
  const Values states =
      all_gather_object(Value::list({metric.metric_state(), metric.update_count()}), group);
  for (std::size_t r = 0; r < states.size(); ++r) {
    const Values& state = states[r].as_list();
    (r == 0 ? total : part).load_metric_state(state[0], state[1].as_int());
    if (r > 0) total.merge(part);
  }
}

}  // namespace taper::distributed::detail
