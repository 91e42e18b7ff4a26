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
  void load_module(Module& m, LoadState& state);

 private:
  /// The entries from which a module and its descendants load.
  struct EntryMap {
    Value dict;
    std::size_t matched = 0;  ///< number of entries that modules have looked up
  };
  struct VisitedModule {
    Module* module;
    std::string prefix;
    EntryMap* map;
  };

  void load_all();
  void load(Module& m, EntryMap& map, std::string& prefix);
  EntryMap& extract_prefix(EntryMap& map, std::string_view prefix);
  Value local_metadata(std::string_view prefix);
  void load_entry(LocalTensor& target, std::string key, const Value& found, LoadState& state,
                  bool assign, bool adopts_loaded_shapes);
  void load_extra_state(Module& m, LoadState& state);
  void enqueue(PendingAssignment assignment);
  void apply(const PendingAssignment& assignment, bool undoable);
  void record_apply_error(const PendingAssignment& assignment, const Error& error);
  void commit();
  void collect_unexpected_keys(const VisitedModule& visit);
  void collect_all_unexpected_keys();
  void run_post_hooks(Module& m);
  void throw_errors();
  void report_skipped(std::string key,
                      std::string reason);  ///< records in the report why a key was not loaded

  Module& root_;
  const LoadStateDictOptions& options_;
  IncompatibleKeys& keys_;
  std::vector<std::string> errors_;
  Value metadata_;
  std::deque<EntryMap> maps_;
  EntryMap* map_ = nullptr;  // entries of the module that is being loaded
  /// True if any module has load hooks, which receive the keys found so far.
  bool hooked_ = false;
  /// True if the tensors of the current module are assigned immediately.
  bool assign_immediately_ = false;
  std::vector<VisitedModule> visits_;
  std::vector<PendingAssignment> assignments_;
  std::vector<LocalTensor> local_tensors_;  // buffer reused for every module
  std::vector<std::pair<Module*, Value>> extra_states_;
  LoadRollback rollback_;
};

/// Formats the shape as "torch.Size([2, 3])".
std::string size_text(const Tensor& t);

}  // namespace taper::nn
