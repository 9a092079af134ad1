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

// As long as it lives, Ctrl-C and `kill` ask the verb to finish; afterwards they end the program.
class FinishWhenAsked {
 public:
  FinishWhenAsked() {
    for (const int signal : kSignals) std::signal(signal, on_interrupt);
  }
  ~FinishWhenAsked() {
    for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  }
  FinishWhenAsked(const FinishWhenAsked&) = delete;
  FinishWhenAsked& operator=(const FinishWhenAsked&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM};
};

}  // namespace isolde::cli
