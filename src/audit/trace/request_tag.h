// audit/trace/request_tag.h: what a comment of a statement says about the request that sent it.
//
//   SELECT … /*action='add',controller='cart',traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/
//   SELECT … /*application:Shop,controller:cart,action:add,request_id:7f0c21*/
//
// In, out: the text of one statement -> the request's id and its kind; either may be empty.
// Always:  only a comment that the statement begins or ends with is read, so text inside of a string never counts.
//          MySQL's /*! … */ and optimizer hints (/*+ … */) are no comments.
// Cost:    nothing for a statement that neither begins nor ends with a comment.
// Source:  sqlcommenter's specification (key='value', percent-encoded; W3C trace context); marginalia (key:value).
#pragma once

#include <string>
#include <string_view>

namespace isolde::audit {

struct RequestTag {
  std::string id;    // the same for all statements of one request, on whichever connection
  std::string kind;  // "cart#add": of which there are many requests
  [[nodiscard]] bool empty() const { return id.empty() && kind.empty(); }
  auto operator<=>(const RequestTag&) const = default;
};

[[nodiscard]] RequestTag request_tag(std::string_view sql);

}  // namespace isolde::audit
