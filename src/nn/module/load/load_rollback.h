// PendingAssignment and LoadRollback: assign tensors to a module and undo the assignment.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "nn/module/extra.h"

namespace taper::nn {

/// A parameter or persistent buffer of a module and its slot.
struct LocalTensor {
  std::string_view name;
  Tensor value;
  ParameterSlot parameter{};  ///< exactly one of `parameter` and `buffer` is set
  BufferSlot buffer{};
  bool is_parameter() const { return parameter.put_into != nullptr; }
  /// Replaces the object in the slot with `t`. A buffer remains persistent.
  void put(const Tensor& t) const;
};

/// Fills `list` with the own parameters, then the own persistent buffers, except None.
void collect_local_tensors(Module& m, std::vector<LocalTensor>& list);

/// One entry that is to be loaded.
struct PendingAssignment {
  LocalTensor target;
  std::string key;
  Tensor source;
  bool assign;          ///< true to adopt the source instead of copying its elements
  bool swap;            ///< with `assign`: replace the contents and keep the module's tensor object
  bool shapes = false;  ///< the module's tensor is uninitialized and adopts the source's shape
  /// Performs the assignment. Throws if the source cannot be copied.
  void run() const;
};

/// Records previous values and restores them.
class LoadRollback {
 public:
  void record(const PendingAssignment& assignment);
  /// Removes the last record.
  void pop_record() { tensors_.pop_back(); }
  /// Called before set_extra_state, for classes that define get_extra_state.
  void record_extra_state(Module& m);
  void run();

 private:
  struct PreviousValue {
    LocalTensor target;
    Tensor elements;         ///< a copy; undefined if the object was replaced or was uninitialized
    bool swapped;            ///< `elements` holds the original elements instead of a copy
    bool was_uninitialized;  ///< true if the tensor was uninitialized
  };
  std::vector<PreviousValue> tensors_;
  std::vector<std::pair<Module*, Value>> extra_states_;
};

}  // namespace taper::nn
