// What Taper throws. Every message reads "op or module: what is wrong: got ... expected ...".
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Which kind of thing was wrong; each kind has a class of its own below.
enum class ErrorKind : unsigned char {
  runtime,          ///< a state that does not allow the call (freed graph, closed file, ...)
  shape,            ///< sizes, ranks, strides
  dtype,            ///< element types
  device,           ///< unknown, missing or mixed devices
  index,            ///< an index or dimension out of range
  value,            ///< an argument outside of its domain
  type,             ///< a dynamic value of another type than expected
  key,              ///< a name that is not there, or there already
  attribute,        ///< a member that is not there
  io,               ///< files
  not_implemented,  ///< what this backend, dtype or layer cannot do
  out_of_memory,    ///< a device has no room
  assertion,        ///< a promise that was not kept
};

/// Where in a network an error was thrown: filled in by the calls of modules it passes through.
struct ErrorPlace {
  std::string path;     ///< of the innermost module, from the one called first: "layer1.0.conv1"
  std::string details;  ///< that module as it prints, and shapes and dtypes of its inputs
  std::string text;     ///< the message and the above
  const void* module = nullptr;  ///< the outermost module passed so far
  std::string name{};            ///< its class
};

/// Base of all of Taper's exceptions.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }
  /// The message, and on a second line the place in a network if there is one.
  const char* what() const noexcept override {
    return place_ ? place_->text.c_str() : std::runtime_error::what();
  }
  /// The message alone.
  const char* message() const noexcept { return std::runtime_error::what(); }
  /// Null for an error thrown outside of modules.
  const std::shared_ptr<const ErrorPlace>& place() const noexcept { return place_; }
  void set_place(std::shared_ptr<const ErrorPlace> place) noexcept { place_ = std::move(place); }

 private:
  ErrorKind kind_;
  std::shared_ptr<const ErrorPlace> place_;
};

#define TAPER_ERROR_CLASS(Name, kind_value)                                        \
  class Name : public Error {                                                      \
   public:                                                                         \
    explicit Name(const std::string& text) : Error(ErrorKind::kind_value, text) {} \
  }
TAPER_ERROR_CLASS(RuntimeError, runtime);
TAPER_ERROR_CLASS(ShapeError, shape);
TAPER_ERROR_CLASS(DTypeError, dtype);
TAPER_ERROR_CLASS(DeviceError, device);
TAPER_ERROR_CLASS(IndexError, index);
TAPER_ERROR_CLASS(ValueError, value);
TAPER_ERROR_CLASS(TypeError, type);
TAPER_ERROR_CLASS(KeyError, key);
TAPER_ERROR_CLASS(AttributeError, attribute);
TAPER_ERROR_CLASS(IoError, io);
TAPER_ERROR_CLASS(NotImplementedError, not_implemented);
TAPER_ERROR_CLASS(OutOfMemoryError, out_of_memory);
TAPER_ERROR_CLASS(AssertionError, assertion);
#undef TAPER_ERROR_CLASS

/// Throws an error of the class that stands for `kind`: how a text is added to an error that passes
/// by.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& text);

}  // namespace taper
