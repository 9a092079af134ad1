#include "proxy/wire/conversation.h"

namespace isolde::proxy {

std::string_view words(Unreadable why) {
  switch (why) {
    case Unreadable::kNot:
      return "readable";
    case Unreadable::kCancel:
      return "a request to cancel";
    case Unreadable::kProtocol:
      return "another version of the protocol";
    case Unreadable::kReplication:
      return "the replication protocol";
    case Unreadable::kMessage:
      return "a message that was not expected";
    case Unreadable::kTooLong:
      return "a message of more than 16 MiB";
    case Unreadable::kEncrypted:
      return "encryption between the client and the server";
  }
  return "";
}

}  // namespace isolde::proxy
