// Precompiled header of the tests.
#pragma once
#include <gtest/gtest.h>
#include <taper/taper.h>
