// Tensors on their way into a module, and the way back.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "nn/module/extra.h"

namespace taper::nn {

/// A parameter or persistent buffer of a module, and where it is held.
struct OwnTensor {
  std::string_view name;
  Tensor value;
  ParameterSlot parameter{};  ///< one of the two
  BufferSlot buffer{};
  bool is_parameter() const { return parameter.put_into != nullptr; }
  /// Puts the object `t` itself in its place; a buffer stays persistent.
  void put(const Tensor& t) const;
};

/// Fills `list` with own parameters, then own persistent buffers; None left out.
void list_own_tensors(Module& m, std::vector<OwnTensor>& list);

/// One entry that is going to be loaded.
struct Placement {
  OwnTensor own;
  std::string key;
  Tensor source;
  bool assign;          ///< the object takes the place of the module's
  bool swap;            ///< no: its contents do, and the module's object stays
  bool shapes = false;  ///< the module's has no shape yet and takes the source's
  /// Does it. Throws what cannot be copied.
  void run() const;
};

/// Remembers what was there, to put it back.
class Undo {
 public:
  void remember(const Placement& placement);
  void forget_last() { tensors_.pop_back(); }
  /// Before set_extra_state: of classes that can say what theirs is.
  void remember_extra_state(Module& m);
  void run();

 private:
  struct Before {
    OwnTensor own;
    Tensor elements;  ///< a copy; undefined where the object itself was replaced
    bool swapped;     ///< no copy: the very elements that were there
    bool shaped;      ///< no elements: it had no shape
  };
  std::vector<Before> tensors_;
  std::vector<std::pair<Module*, Value>> extra_states_;
};

}  // namespace taper::nn
