// library_files: where a module that the library loads at run time may be.
#pragma once
#include <string>
#include <vector>

namespace taper {

/// Returns the paths of `name` ("libtaper_image_codecs.so") that exist beside the library or the
/// program, in a folder `taper` there, in the library folder beside that of the program, or in that
/// of the install prefix; then `name`, which the loader finds on the library path.
std::vector<std::string> library_files(const std::string& name);

}  // namespace taper
