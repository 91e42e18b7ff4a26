#include "taper/core/error.h"

namespace taper {

void throw_error(ErrorKind kind, const std::string& text) {
  switch (kind) {
    case ErrorKind::runtime: throw RuntimeError(text);
    case ErrorKind::shape: throw ShapeError(text);
    case ErrorKind::dtype: throw DTypeError(text);
    case ErrorKind::device: throw DeviceError(text);
    case ErrorKind::index: throw IndexError(text);
    case ErrorKind::value: throw ValueError(text);
    case ErrorKind::type: throw TypeError(text);
    case ErrorKind::key: throw KeyError(text);
    case ErrorKind::attribute: throw AttributeError(text);
    case ErrorKind::io: throw IoError(text);
    case ErrorKind::not_implemented: throw NotImplementedError(text);
    case ErrorKind::out_of_memory: throw OutOfMemoryError(text);
    case ErrorKind::assertion: throw AssertionError(text);
  }
  throw Error(kind, text);
}

}  // namespace taper
