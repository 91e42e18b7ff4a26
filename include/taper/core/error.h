// Exceptions. Messages have the form "op or module: problem: got ..., expected ...".
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Category of an error. Each category has an exception class below.
enum class ErrorKind : unsigned char {
  runtime,          ///< invalid state (freed graph, closed file, ...)
  shape,            ///< invalid or mismatched sizes, ranks or strides
  dtype,            ///< unsupported or mismatched element types
  device,           ///< unknown, unavailable or mixed devices
  index,            ///< index or dimension out of range
  value,            ///< argument outside of its domain
  type,             ///< dynamic value of an unexpected type
  key,              ///< name that does not exist, or already exists
  attribute,        ///< attribute that does not exist
  io,               ///< file that cannot be read, written or parsed
  not_implemented,  ///< unsupported by the backend, dtype or layer
  out_of_memory,    ///< device memory exhausted
  assertion,        ///< violated precondition
};

/// Error context: the module in whose call an error was thrown, recorded by the calls that it
/// propagates through.
struct ErrorContext {
  std::string path;     ///< path from the outermost to the innermost module: "layer1.0.conv1"
  std::string details;  ///< printed form of the innermost module, shapes and dtypes of its inputs
  std::string text;     ///< message and context
  const void* module = nullptr;  ///< outermost module recorded so far
  std::string name{};            ///< class name of the outermost module
};

/// Base of all exceptions that Taper throws.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  /// Returns the category of the error.
  ErrorKind kind() const noexcept { return kind_; }
  /// Returns the message, followed by the context on a second line if the error was thrown in a
  /// module call.
  const char* what() const noexcept override {
    return context_ ? context_->text.c_str() : std::runtime_error::what();
  }
  /// Returns the message without the context.
  const char* message() const noexcept { return std::runtime_error::what(); }
  /// Returns the context; null if the error was not thrown in a module call.
  const std::shared_ptr<const ErrorContext>& context() const noexcept { return context_; }
  /// Sets the context, whose `text` replaces the result of `what`.
  void set_context(std::shared_ptr<const ErrorContext> context) noexcept {
    context_ = std::move(context);
  }

 private:
  ErrorKind kind_;
  std::shared_ptr<const ErrorContext> context_;
};

#define TAPER_ERROR_CLASS(Name, kind_value)                                        \
  class Name : public Error {                                                      \
   public:                                                                         \
    explicit Name(const std::string& text) : Error(ErrorKind::kind_value, text) {} \
  }
// Exception classes, one per category.
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

/// Throws an error of the class of `kind`, for example to rethrow an error with additional text.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& text);

}  // namespace taper
