// Error handling of libjpeg.
#pragma once
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "image_codecs/codec_functions.h"

namespace taper::data {

/// Error handler: stores the text of an error and returns to the setjmp of `run`; stores the first
/// warning.
struct JpegErrors {
  jpeg_error_mgr manager{};
  std::jmp_buf jump{};
  CodecMessage error{}, warning{};

  JpegErrors() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr codec) {
      from(codec).set_text(codec, from(codec).error);
      std::longjmp(from(codec).jump, 1);
    };
    manager.emit_message = [](j_common_ptr codec, int level) {
      if (level < 0 && codec->err->num_warnings++ == 0)
        from(codec).set_text(codec, from(codec).warning);
    };
  }
  JpegErrors(const JpegErrors&) = delete;
  JpegErrors& operator=(const JpegErrors&) = delete;

  /// Reports an error that libjpeg does not know.
  [[noreturn]] static void reject(j_common_ptr codec, const char* text) {
    set_message(from(codec).error, text);
    std::longjmp(from(codec).jump, 1);
  }
  /// Calls `body`. Returns false if libjpeg reports an error.
  template <class Codec> bool run(Codec& codec, void (*body)(Codec&)) {
    if (setjmp(jump)) return false;
    body(codec);
    return true;
  }

 private:
  /// `manager` is the first member.
  static JpegErrors& from(j_common_ptr codec) { return *reinterpret_cast<JpegErrors*>(codec->err); }
  static void set_text(j_common_ptr codec, CodecMessage& message) {
    static_assert(sizeof message.text >= JMSG_LENGTH_MAX);
    (*codec->err->format_message)(codec, message.text);
  }
};

template <class Codec> j_common_ptr common(Codec& codec) {
  return reinterpret_cast<j_common_ptr>(&codec);
}

}  // namespace taper::data
