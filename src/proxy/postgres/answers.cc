#include "proxy/postgres/answers.h"

#include <algorithm>
#include <initializer_list>

namespace isolde::proxy::postgres {

bool Answers::push(Request request) {
  if (skipping_ && request != Request::kSync) {
    ++next_;
    return true;
  }
  skipping_ = false;
  if (owed_.size() >= kMostAhead) return false;
  owed_.push_back({request, next_++});
  return true;
}

bool Answers::client(char type) {
  switch (type) {
    case 'P':
      return !copying_ && push(Request::kParse);
    case 'B':
      return !copying_ && push(Request::kBind);
    case 'D':
      return !copying_ && push(Request::kDescribe);
    case 'E':
      return !copying_ && push(Request::kExecute);
    case 'C':
      return !copying_ && push(Request::kClose);
    case 'Q':
      return !copying_ && push(Request::kQuery);
    case 'F':
      return !copying_ && push(Request::kFunction);
    case 'S':
      // Whether the server still copies when it reads this cannot be known here.
      return !copying_ && push(Request::kSync);
    case 'c':
    case 'f':
      if (copying_) {
        copying_ = false;
        return true;
      }
      // Outside of a copy the server ignores it; the copy may also not have been announced yet.
      return skipping_ || push(Request::kCopyEnd);
    case 'd':
    case 'H':
    case 'X':
      return true;
    case 'p':
      return !authenticated_;
    default:
      return false;
  }
}

void Answers::drop_stale() {
  while (!owed_.empty() && owed_.front().request == Request::kCopyEnd) owed_.pop_front();
}

Answers::Fit Answers::of_front(bool finished, std::initializer_list<Request> requests) {
  drop_stale();
  if (owed_.empty() || std::find(requests.begin(), requests.end(), owed_.front().request) == requests.end()) return {};
  Fit fit{.fits = true, .answers = true, .finished = finished, .owed = owed_.front()};
  if (finished) owed_.pop_front();
  return fit;
}

Answers::Fit Answers::error() {
  copying_ = false;
  drop_stale();
  Fit fit{.fits = true};
  if (!authenticated_ || owed_.empty()) return fit;  // the server ends the connection, or says so in a moment
  const Owed front = owed_.front();
  fit.answers = true;
  fit.owed = front;
  if (front.request == Request::kQuery || front.request == Request::kFunction || front.request == Request::kSync)
    return fit;
  fit.finished = true;
  while (!owed_.empty() && owed_.front().request != Request::kSync) owed_.pop_front();
  skipping_ = owed_.empty();
  fit.dropped_from = front.number + 1;
  fit.dropped_to = owed_.empty() ? next_ : owed_.front().number;
  return fit;
}

Answers::Fit Answers::copy_in() {
  Fit fit = of_front(false, {Request::kQuery, Request::kExecute});
  if (!fit.fits) return fit;
  const auto end =
      std::find_if(owed_.begin(), owed_.end(), [](const Owed& owed) { return owed.request == Request::kCopyEnd; });
  // What the client sent ahead of the end of its data: Sync is ignored, anything else is an error that no client makes.
  for (auto at = owed_.begin() + 1; at != end; ++at) {
    if (at->request != Request::kSync) return {};
  }
  copying_ = end == owed_.end();
  owed_.erase(owed_.begin() + 1, copying_ ? end : end + 1);
  return fit;
}

Answers::Fit Answers::server(char type) {
  switch (type) {
    case '1':
      return of_front(true, {Request::kParse});
    case '2':
      return of_front(true, {Request::kBind});
    case '3':
      return of_front(true, {Request::kClose});
    case 't':
      return of_front(false, {Request::kDescribe});
    case 'n':
      return of_front(true, {Request::kDescribe});
    case 'T':
      drop_stale();
      return of_front(!owed_.empty() && owed_.front().request == Request::kDescribe,
                      {Request::kDescribe, Request::kQuery});
    case 'D':
    case 'H':
    case 'd':
    case 'c':
      return of_front(false, {Request::kQuery, Request::kExecute});
    case 'C':
    case 'I':
      copying_ = false;
      drop_stale();
      return of_front(!owed_.empty() && owed_.front().request == Request::kExecute,
                      {Request::kQuery, Request::kExecute});
    case 's':
      return of_front(true, {Request::kExecute});
    case 'V':
      return of_front(false, {Request::kFunction});
    case 'G':
      return copy_in();
    case 'E':
      return error();
    case 'Z':
      if (!authenticated_) {
        authenticated_ = true;
        return {.fits = true};
      }
      return of_front(true, {Request::kSync, Request::kQuery, Request::kFunction});
    case 'N':
    case 'A':
    case 'S':
      return {.fits = true};
    case 'R':
    case 'K':
    case 'v':
      return {.fits = !authenticated_};
    default:  // CopyBothResponse (replication), or a newer protocol's
      return {};
  }
}

}  // namespace isolde::proxy::postgres
