// format/timekiller_fast.h: the quick way through TimeKiller's JSON in the form that TimeKiller and Chronos write.
//
// In, out: the whole text -> every transaction in the builder, or false: then the builder has to be thrown away, and
// the
//          text takes the general way (format/timekiller.cc), which also finds what is wrong with it.
// Why:     the general way keeps a copy of the text, simdjson's index of it and every operation, until it knows how
//          timestamps are packed and how sessions are sorted. Nearly every file fits the usual packing and has its
//          sessions in order, so that a transaction can go straight into the history; one that does not is found out on
//          the way.
// Always:  accepts only a subset of what the general way accepts, with the same meaning.
// Cost:    one look at each byte, and no memory but the history's.
#pragma once

#include <functional>
#include <string_view>

#include "history/history_builder.h"

namespace isolde {

// `shift`: a timestamp is p * 2^shift + l. `reached`: told now and then up to which byte the text was read.
[[nodiscard]] bool add_plain_timekiller(std::string_view text, int shift, HistoryBuilder& builder,
                                        const std::function<void(std::size_t)>& reached);

}  // namespace isolde
