// Picklable: objects in a Value that can be written in Python's pickle format.
#pragma once
#include <map>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// Pickled forms of one file, by object identity, so that a shared object is written once.
using PickledForms = std::map<const void*, Value>;

/// Base of the objects that a Value of kind `module` holds if they can be pickled.
class Picklable : public ValueObject {
 public:
  /// Returns the opaque value that Python's pickler would write for this object: a class, its
  /// arguments and its state. Reuses and extends `forms`. Throws an Error that describes the reason
  /// if the object cannot be pickled.
  virtual Value pickled(PickledForms& forms) const = 0;
};

}  // namespace taper
