// base/prefetch.h: asks for a cache line that will be needed soon.
//
// Why not __builtin_prefetch alone: GCC takes a function that does nothing else for one without effects and removes the
// calls to it, loops and all (seen with g++ 12). What looks like an effect to the compiler keeps them.
#pragma once

namespace isolde {

inline void prefetch(const void* line) {
  __builtin_prefetch(line);
  asm volatile("" : : "r"(line));
}

}  // namespace isolde
