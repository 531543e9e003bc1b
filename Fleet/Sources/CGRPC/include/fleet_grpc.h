// gRPC's C core as the client needs it: channels, calls with one answer, and streams.
//
// One thread for the process waits for what becomes ready, and calls the given functions from
// there: they must return at once.
#ifndef FLEET_GRPC_H
#define FLEET_GRPC_H

#include <stddef.h>
#include <stdint.h>

typedef struct fleet_channel fleet_channel;
typedef struct fleet_call fleet_call;

/// Called once when an operation is over; `ok` is 0 if it has failed.
typedef void (*fleet_done)(void *context, int ok);

/// `host:port`; without `authority` for plaintext. Nothing is connected yet. NULL: no memory, or
/// the certificates can't be used. The texts are PEM, and end with NUL.
fleet_channel *fleet_channel_open(const char *target, const char *authority,
                                  const char *certificate, const char *key);
void fleet_channel_close(fleet_channel *channel);
/// Whether the last attempt to connect has failed, after which the library makes others unasked.
int fleet_channel_has_failed(fleet_channel *channel);

/// Begins a call. `names` and `values` are its metadata. It ends `milliseconds` from now, if that
/// is positive. NULL: there is no memory.
fleet_call *fleet_call_begin(fleet_channel *channel, const char *method, int64_t milliseconds,
                             const char *const *names, const char *const *values, size_t count);

/// Sends one request, and waits for one answer and the status.
void fleet_call_ask(fleet_call *call, const void *bytes, size_t count, fleet_done done,
                    void *context);

/// For a stream: sends the metadata and, when done, one message after another.
void fleet_stream_send(fleet_call *call, const void *bytes, size_t count, fleet_done done,
                       void *context);
/// Waits for one message; not `ok` at the end of the stream.
void fleet_stream_receive(fleet_call *call, fleet_done done, void *context);
/// Waits for the status; once, and after that nothing else is begun.
void fleet_stream_finish(fleet_call *call, fleet_done done, void *context);

/// How large the message is that was received last; 0 if there is none.
size_t fleet_call_message_size(fleet_call *call);
/// Copies it to `bytes`, which has room for `count`, and forgets it. 0: it has another size.
int fleet_call_take_message(fleet_call *call, void *bytes, size_t count);
/// gRPC's code, and the server's or the library's text, which lives as long as the call.
int fleet_call_status(fleet_call *call);
const char *fleet_call_details(fleet_call *call);

/// Ends the call early; what waits for it is done soon.
void fleet_call_cancel(fleet_call *call);
/// Gives the call up. What is under way ends first.
void fleet_call_release(fleet_call *call);

#endif
