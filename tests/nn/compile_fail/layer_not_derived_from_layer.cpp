// expect: derive it from Layer<Twice>
// A class that uses TAPER_LAYER without its own Layer lacks calls and hooks with its types.
#include "taper/nn/linear.h"

using namespace taper;

class Twice : public nn::Linear {
 public:
  Twice() : Linear(2, 2) {}
  TAPER_LAYER(Twice)
};
TAPER_LAYER_MEMBERS(Twice)
