// cli/interrupt.h: a signal asks the running verb to finish what it has; a second one ends the program at once.
#pragma once

#include <atomic>
#include <csignal>

namespace isolde::cli {

inline std::atomic<bool> interrupted = false;

// For std::signal.
inline void on_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace isolde::cli
