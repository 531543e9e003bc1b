// HTTP/2's frames and etcd's messages, as far as an agent needs them.
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What is being written; what does not fit is a mistake of this program's.
struct text {
  size_t count;
  uint8_t bytes[2048];
};

enum frame_type { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY };
enum frame_flags { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

void add_frame(struct text *out, enum frame_type type, int flags, uint32_t stream,
               const void *payload, size_t count);
/// How every connection begins: receives as much as the server has, at any time.
void add_preface(struct text *out);
/// Begins a call, and ends our side of it if it has only one message.
void add_call(struct text *out, uint32_t stream, const char *method, bool is_encrypted,
              const struct text *message, bool is_stream);
void add_message(struct text *out, uint32_t stream, const struct text *message, int flags);

void make_read(struct text *out, int host);
void make_watch(struct text *out, int host, int range, int64_t after);
void make_status(struct text *out, int host, int64_t revision);

/// What an answer of any kind says.
struct answer {
  int64_t revision;
  int events;
  int64_t event_revision;  // of the last of them
  bool is_created, is_canceled;
};

/// Returns false if it is malformed.
bool read_answer(const uint8_t *bytes, size_t count, struct answer *answer);

#endif
