#include <cmath>
#include <limits>
#include <string_view>

#include "core/check.h"
#include "taper/core/warning.h"
#include "train/events/media.h"

namespace taper::train::events {
namespace {

constexpr std::uint32_t kSampleSize = 2;  // bytes

void append_little_endian(std::string& file, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> 8 * i & 255);
}

/// Returns the header of a WAV file with one channel of 16-bit samples.
std::string wav_header(std::uint64_t data_size, std::uint64_t sample_rate) {
  std::string file = "RIFF";
  append_little_endian(file, 36 + data_size, 4);
  file += "WAVEfmt ";
  append_little_endian(file, 16, 4);  // size of the format
  append_little_endian(file, 1, 2);   // PCM
  append_little_endian(file, 1, 2);   // channels
  append_little_endian(file, sample_rate, 4);
  append_little_endian(file, sample_rate * kSampleSize, 4);
  append_little_endian(file, kSampleSize, 2);
  append_little_endian(file, 8 * kSampleSize, 2);
  file += "data";
  append_little_endian(file, data_size, 4);
  return file;
}

/// Appends the samples, computed in the type of the elements. Returns true if one is out of range.
template <class T> bool append_samples(std::string& file, std::span<const T> samples) {
  bool clipped = false;
  for (T sample : samples) {
    if (std::abs(sample) > 1) {
      clipped = true;
      sample = sample > 0 ? T{1} : T{-1};
    }
    const T scaled = std::isnan(sample) ? T{0} : sample * T{32767};
    append_little_endian(file, static_cast<std::uint16_t>(static_cast<std::int16_t>(scaled)), 2);
  }
  return clipped;
}

}  // namespace

AudioSummary make_audio(const Tensor& sound, std::int64_t sample_rate) {
  constexpr std::int64_t kMaxSamples = (std::int64_t{1} << 31) / kSampleSize - 64;
  constexpr std::int64_t kMaxRate = std::numeric_limits<std::int32_t>::max() / kSampleSize;
  const Tensor samples = sound.detach().cpu().squeeze();
  if (samples.dim() != 1) fail<AssertionError>("add_audio: input tensor should be 1 dimensional.");
  const std::int64_t length = samples.size(0);
  if (length < 1 || length > kMaxSamples)
    fail<ValueError>("add_audio: expected 1 to {} samples, got {}", kMaxSamples, length);
  if (sample_rate < 1 || sample_rate > kMaxRate)
    fail<ValueError>("add_audio: sample_rate: expected 1 to {}, got {}", kMaxRate, sample_rate);

  AudioSummary audio{.sample_rate = static_cast<float>(sample_rate),
                     .num_channels = 1,
                     .length_frames = length,
                     .encoded_audio = wav_header(static_cast<std::uint64_t>(length) * kSampleSize,
                                                 static_cast<std::uint64_t>(sample_rate)),
                     .content_type = "audio/wav"};
  const bool is_double = samples.dtype() == DType::f64;
  const Tensor frames = (is_double ? samples : samples.to(DType::f32)).contiguous();
  const bool clipped = is_double ? append_samples(audio.encoded_audio, frames.data<double>())
                                 : append_samples(audio.encoded_audio, frames.data<float>());
  if (clipped) warn("add_audio: amplitude out of range, clipped to [-1, 1]");
  return audio;
}

}  // namespace taper::train::events
