#include <cmath>

#include "core/random/elements.h"

namespace taper::random {
namespace {

/// Counts the successes as the number of geometric waiting times that fit into `count` trials.
double binomial_inversion(Engine& engine, double count, double p) {
  const double log_failure = std::log1p(-p);
  double trials = 0, successes = 0;
  for (;;) {
    trials += std::ceil(std::log(engine.uniform53()) / log_failure);
    if (trials > count) return successes;
    successes += 1;
  }
}

/// Returns log(k!) minus Stirling's approximation of it.
double stirling_correction(double k) {
  static constexpr double kTable[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                      0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                      0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                      0.00833056343336287};
  if (k <= 9) return kTable[static_cast<int>(k)];
  const double inverse = 1 / (k + 1), square = inverse * inverse;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 * square) * square) * inverse;
}

// W. Hoermann, "The generation of binomial random variates" (1993), algorithm BTRS.
double binomial_rejection(Engine& engine, double count, double p) {
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5, v_limit = 0.92 - 4.2 / b, odds = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation, mode = std::floor((count + 1) * p);
  for (;;) {
    const double u = engine.uniform53() - 0.5, v = engine.uniform53();
    const double us = 0.5 - std::fabs(u), k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_limit) return k;
    if (k < 0 || k > count) continue;
    const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (count - mode + 1))) +
                         (count + 1) * std::log((count - mode + 1) / (count - k + 1)) +
                         (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) +
                         stirling_correction(mode) + stirling_correction(count - mode) -
                         stirling_correction(k) - stirling_correction(count - k);
    if (std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}

double binomial_of_rare(Engine& engine, double count, double p) {
  return count * p >= 10 ? binomial_rejection(engine, count, p)
                         : binomial_inversion(engine, count, p);
}

}  // namespace

double binomial(Engine& engine, double count, double p) {
  if (std::isnan(p)) return p;
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  return p <= 0.5 ? binomial_of_rare(engine, count, p)
                  : count - binomial_of_rare(engine, count, 1 - p);
}

}  // namespace taper::random
