// The functions of the image codecs.
//
// libjpeg and libpng report errors with longjmp. In the functions of this folder, the calls of
// either library are in functions without objects that have destructors, which are called by one
// that only calls setjmp; state is in the decoder or encoder, which is destroyed outside of them.
#pragma once
#include <cstring>

#include "data/image/codec_table.h"

namespace taper::data {

extern const ImageDecoderTable jpeg_decoder, png_decoder;

bool encode_jpeg(const ImageRows& image, int quality, EncodedImage& output, CodecMessage& message);

/// Appends bytes to an encoded image. Returns false if memory is exhausted.
bool append(EncodedImage& output, const unsigned char* bytes, std::size_t count);

inline void set_message(CodecMessage& message, const char* text) {
  std::strncpy(message.text, text, sizeof message.text - 1);
  message.text[sizeof message.text - 1] = '\0';
}

}  // namespace taper::data
