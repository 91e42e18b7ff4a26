// StateDictLoader: implements one call of load_state_dict.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "nn/module/load/load_rollback.h"
#include "taper/nn/state_dict.h"

namespace taper {
class Error;
}
namespace taper::nn {

/// Loads module by module, as PyTorch does. Errors are collected and thrown at the end. Tensors are
/// assigned immediately if hooks or a class that overrides loading may observe them, otherwise
/// after all checks have passed.
class StateDictLoader {
 public:
  StateDictLoader(Module& root, const Value& state, const LoadStateDictOptions& options,
                  IncompatibleKeys& keys);
  void run();

  /// Loads one module as the base class does: hooks, own entries, extra state, unexpected keys.
  void load_own(Module& m, LoadState& state);

 private:
  /// The entries from which a module and its descendants load.
  struct Map {
    Value dict;
    std::size_t matched = 0;  ///< number of entries that modules have looked up
  };
  struct Visit {
    Module* module;
    std::string prefix;
    Map* map;
  };

  void load_all();
  void load(Module& m, Map& map, std::string& prefix);
  Map& below(Map& map, std::string_view prefix);
  Value local_metadata(std::string_view prefix);
  void load_entry(LocalTensor& own, std::string key, const Value& found, LoadState& state,
                  bool assign, bool takes_shapes);
  void load_extra_state(Module& m, LoadState& state);
  void enqueue(PendingAssignment assignment);
  void apply(const PendingAssignment& assignment, bool undoable);
  void fail_to_apply(const PendingAssignment& assignment, const Error& error);
  void commit();
  void find_unexpected(const Visit& visit);
  void find_unexpected_in_all();
  void run_post_hooks(Module& m);
  void throw_problems();
  void skip(std::string key, std::string why);  ///< records in the report why a key was not loaded

  Module& root_;
  const LoadStateDictOptions& options_;
  IncompatibleKeys& keys_;
  std::vector<std::string> errors_;
  Value metadata_;
  std::deque<Map> maps_;
  Map* map_ = nullptr;  // entries of the module that is being loaded
  /// True if any module has load hooks, which receive the keys found so far.
  bool hooked_ = false;
  /// True if the tensors of the current module are assigned immediately.
  bool immediately_ = false;
  std::vector<Visit> visits_;
  std::vector<PendingAssignment> assignments_;
  std::vector<LocalTensor> local_tensors_;  // buffer reused for every module
  std::vector<std::pair<Module*, Value>> extra_states_;
  LoadRollback rollback_;
};

/// Formats the shape as "torch.Size([2, 3])".
std::string size_text(const Tensor& t);

}  // namespace taper::nn
