// Objects behind a Value that Python's pickle has a form for.
#pragma once
#include <map>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// The forms of one file by the identity of their objects, so that an object that stands at two
/// places is written once.
using PickledForms = std::map<const void*, Value>;

/// What a Value of kind `module` holds if a file can hold it.
class Picklable : public ValueObject {
 public:
  /// The opaque value that stands for what Python's pickler would write of this object: a class,
  /// its arguments and its state. Adds to `made` what it makes, and takes from there what is there.
  /// Throws an Error that says why for an object that has no such form.
  virtual Value pickled(PickledForms& made) const = 0;
};

}  // namespace taper
