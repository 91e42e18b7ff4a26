// Distributed cases, which run on a group of threads, or on the ranks of a job.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "cases/case.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Returns a JSON value as one rank reads it: {"by_rank": [...]} is replaced by its entry.
Json resolve_rank(const Json& value, int rank);

/// The view of a case that one rank has. Objects of different ranks may be used at the same time.
class RankCase {
 public:
  RankCase(Case& c, std::mutex& mutex, const Json& fields, int rank);

  int rank() const { return rank_; }
  int world() const { return world_; }
  /// `at` returns a required field, `find` an optional one (null if absent).
  const Json& at(const std::string& field);
  const Json* find(const std::string& field);
  std::string text(const std::string& field) { return at(field).get<std::string>(); }
  /// Converts JSON to values: numbers, texts, containers, records (dicts), and copies of tensors.
  Value value(const Json& json);
  /// As value of the field.
  Value read(const std::string& field) { return value(at(field)); }

  /// Runs `f` and returns {"fails": whether it threw}; None instead on ranks that are not judged.
  Value attempt(const SharedFunction<void()>& f);

 private:
  Case& case_;
  std::mutex& mutex_;
  Json fields_;
  int rank_, world_;
};

/// Function that runs a case on one rank and returns what `expected` contains.
using RankFunction = Value (*)(RankCase& c);

/// Runs the function of the kind of the case on all ranks, which are threads, and compares their
/// results. If the default group exists, runs it on this rank only, with the group, and compares
/// its part of the results. Throws MalformedCase for an unknown kind, Unsupported for a case that
/// requires another number of ranks, or errors, of a job.
void run_on_ranks(Case& c, const std::map<std::string, RankFunction>& kinds);

/// Returns the tensors of a list, or the tensor itself.
std::vector<Tensor> tensors_of(const Value& value);
Value list_of(const std::vector<Tensor>& tensors);

}  // namespace taper::oracle
