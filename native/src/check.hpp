// Assertions of the debug build (CMake option KAKEHASHI_ASSERTIONS): invariants that are too dear for every day.
#pragma once

#ifdef KAKEHASHI_ASSERTIONS
#include <cstdio>
#include <cstdlib>
#define KAKEHASHI_CHECK(condition)                                                        \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: violated: %s\n", __FILE__, __LINE__, #condition);      \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
#else
#define KAKEHASHI_CHECK(condition) static_cast<void>(0)
#endif
