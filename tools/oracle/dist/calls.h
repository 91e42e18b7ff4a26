// Collectives by name.
#pragma once
#include "dist/rank_case.h"
#include "taper/dist/collectives.h"

namespace taper::oracle {

/// Arguments of a collective that are given as JSON: `op`, `src`, `dst`, split sizes.
struct CallArguments {
  explicit CallArguments(const Json& args);
  distributed::ReduceOp op = distributed::ReduceOp::sum;
  int src = 0, dst = 0;
  std::vector<std::int64_t> output_split_sizes{}, input_split_sizes{};
};

/// A call of a collective.
struct NamedCall {
  std::string name;
  Value input{};
  CallArguments args;
  distributed::Group group{};
  Value shapes{};                     ///< of outputs whose shapes differ between ranks
  distributed::Work* work = nullptr;  ///< receives the handle of an asynchronous call

  /// Returns the output; None where the call does not have one. Throws MalformedCase for an unknown
  /// name, RuntimeError if an input that must be unchanged was changed.
  Value run();
};

}  // namespace taper::oracle
