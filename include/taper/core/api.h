// TAPER_API: marks the namespaces whose functions and classes libtaper.so exports.
#pragma once

#define TAPER_API [[gnu::visibility("default")]]
