// Helpers of the tests of distributed training.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/dist/dist.h"
#include "taper/optim/optim.h"

namespace taper::test {

/// Runs `f(rank)` on threads whose default group is initialized.
inline void on_ranks(int count, const SharedFunction<void(int)>& f,
                     const distributed::InitOptions& options = {}) {
  distributed::spawn_threads(count, [&](int rank) {
    distributed::init_process_group(options);
    f(rank);
  });
}

/// As on_ranks; returns the text of the error of each rank, empty if there was none.
inline std::vector<std::string> errors_on_ranks(int count, const SharedFunction<void(int)>& f,
                                                const distributed::InitOptions& options = {}) {
  std::vector<std::string> errors(static_cast<std::size_t>(count));
  on_ranks(
      count,
      [&](int rank) {
        try {
          f(rank);
        } catch (const Error& error) { errors[static_cast<std::size_t>(rank)] = error.what(); }
      },
      options);
  return errors;
}

inline std::unique_ptr<optim::Optimizer> adam_of(optim::Params params) {
  return std::make_unique<optim::Adam>(std::move(params), optim::AdamOptions{.lr = 0.1});
}

/// Returns a tensor of floats.
inline Tensor floats(const std::vector<float>& values) { return tensor(values); }

}  // namespace taper::test
