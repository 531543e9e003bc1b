#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"

static void add(struct text *out, const void *bytes, size_t count) {
  if (count > sizeof out->bytes - out->count) abort();
  memcpy(out->bytes + out->count, bytes, count);
  out->count += count;
}

static void add_byte(struct text *out, int byte) { add(out, &(uint8_t){(uint8_t)byte}, 1); }

// -- HTTP/2

void add_frame(struct text *out, enum frame_type type, int flags, uint32_t stream,
               const void *payload, size_t count) {
  uint8_t head[9] = {(uint8_t)(count >> 16), (uint8_t)(count >> 8), (uint8_t)count, type,
                     (uint8_t)flags, (uint8_t)(stream >> 24), (uint8_t)(stream >> 16),
                     (uint8_t)(stream >> 8), (uint8_t)stream};
  add(out, head, sizeof head);
  if (count > 0) add(out, payload, count);
}

void add_preface(struct text *out) {
  static const char magic[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  // INITIAL_WINDOW_SIZE for streams, and the rest up to the same for the connection.
  static const uint8_t window[] = {0, 4, 0x7F, 0xFF, 0xFF, 0xFF}, more[] = {0x7F, 0xFF, 0, 0};
  add(out, magic, sizeof magic - 1);
  add_frame(out, SETTINGS, 0, 0, window, sizeof window);
  add_frame(out, 8, 0, 0, more, sizeof more);
}

// Without Huffman's code and without the table, which costs the server a little more.
static void add_header(struct text *out, const char *name, const char *value) {
  add_byte(out, 0);
  add_byte(out, (int)strlen(name));
  add(out, name, strlen(name));
  add_byte(out, (int)strlen(value));
  add(out, value, strlen(value));
}

void add_message(struct text *out, uint32_t stream, const struct text *message, int flags) {
  struct text body = {0};
  uint8_t head[5] = {0, 0, 0, (uint8_t)(message->count >> 8), (uint8_t)message->count};
  add(&body, head, sizeof head);
  add(&body, message->bytes, message->count);
  add_frame(out, DATA, flags, stream, body.bytes, body.count);
}

void add_call(struct text *out, uint32_t stream, const char *method, bool is_encrypted,
              const struct text *message, bool is_stream) {
  struct text headers = {0};
  add_header(&headers, ":method", "POST");
  add_header(&headers, ":scheme", is_encrypted ? "https" : "http");
  add_header(&headers, ":path", method);
  add_header(&headers, ":authority", "127.0.0.1");
  add_header(&headers, "content-type", "application/grpc");
  add_header(&headers, "te", "trailers");
  if (is_stream) add_header(&headers, "hasleader", "true");
  add_frame(out, HEADERS, END_HEADERS, stream, headers.bytes, headers.count);
  add_message(out, stream, message, is_stream ? 0 : END_STREAM);
}

// -- etcd's messages

static void add_varint(struct text *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) add_byte(out, (int)(value & 0x7F) | 0x80);
  add_byte(out, (int)value);
}

static void add_number(struct text *out, int field, int64_t value) {
  add_varint(out, (uint64_t)field << 3);
  add_varint(out, (uint64_t)value);
}

static void add_bytes(struct text *out, int field, const void *bytes, size_t count) {
  add_varint(out, (uint64_t)field << 3 | 2);
  add_varint(out, count);
  add(out, bytes, count);
}

void scale_range(int host, int range, char *text) {
  static const char *const forms[scale_range_count] = {
      "/cfg/v1/host/host-%06d", "/cfg/v1/live/all/", "/cfg/v1/live/os:debian/",
      "/cfg/v1/live/group:group-%02d/", "/cfg/v1/live/host:host-%06d/"};
  snprintf(text, scale_text_size, forms[range], range == 3 ? host % 100 : host);
}

void scale_status_key(int host, char *text) {
  snprintf(text, scale_text_size, "/status/v1/host-%06d", host);
}

// The key, and the end of a prefix: the first text after all that begin with it.
static void add_range(struct text *out, int host, int range) {
  char text[scale_text_size];
  scale_range(host, range, text);
  size_t count = strlen(text);
  add_bytes(out, 1, text, count);
  if (text[count - 1] != '/') return;
  text[count - 1]++;
  add_bytes(out, 2, text, count);
}

void make_read(struct text *out, int host) {
  for (int range = 0; range < scale_range_count; range++) {
    struct text request = {0}, operation = {0};
    add_range(&request, host, range);
    add_bytes(&operation, 1, request.bytes, request.count);
    add_bytes(out, 2, operation.bytes, operation.count);
  }
}

void make_watch(struct text *out, int host, int range, int64_t after) {
  struct text request = {0};
  add_range(&request, host, range);
  add_number(&request, 3, after + 1);
  add_number(&request, 4, 1);
  add_number(&request, 8, 1);
  add_bytes(out, 1, request.bytes, request.count);
}

void make_status(struct text *out, int host, int64_t revision) {
  char key[scale_text_size], value[scale_status_size];
  scale_status_key(host, key);
  memset(value, ' ', sizeof value);
  snprintf(value, sizeof value, "{\"revision\": %lld}", (long long)revision);
  struct text put = {0}, operation = {0};
  add_bytes(&put, 1, key, strlen(key));
  add_bytes(&put, 2, value, sizeof value);
  add_bytes(&operation, 2, put.bytes, put.count);
  add_bytes(out, 2, operation.bytes, operation.count);
}

// -- Answers

struct field {
  uint64_t number;  // or the count of the bytes
  const uint8_t *bytes;
  int tag;  // its number and its kind, as they are encoded
};

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value) {
  *value = 0;
  for (int shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;
    *value |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

static bool read_field(const uint8_t **at, const uint8_t *end, struct field *field) {
  uint64_t tag;
  if (!read_varint(at, end, &tag) || !read_varint(at, end, &field->number)) return false;
  field->tag = (int)tag;
  field->bytes = *at;
  if ((tag & 7) == 0) return true;
  if ((tag & 7) != 2 || field->number > (uint64_t)(end - *at)) return false;
  *at += field->number;
  return true;
}

enum { NUMBER = 0, BYTES = 2 };
#define TAG(field, kind) ((field) << 3 | (kind))

// The number in field 3 of a message in another one, or of that one itself: etcd has its revisions
// there.
static bool read_revision(struct field outer, int inner, int64_t *revision) {
  const uint8_t *at = outer.bytes, *end = at + outer.number;
  struct field field;
  while (at < end) {
    if (!read_field(&at, end, &field)) return false;
    if (inner != 0 && field.tag == TAG(inner, BYTES)) {
      if (!read_revision(field, 0, revision)) return false;
    } else if (inner == 0 && field.tag == TAG(3, NUMBER)) {
      *revision = (int64_t)field.number;
    }
  }
  return true;
}

bool read_answer(const uint8_t *bytes, size_t count, struct answer *answer) {
  const uint8_t *at = bytes, *end = bytes + count;
  *answer = (struct answer){0};
  struct field field;
  while (at < end) {
    if (!read_field(&at, end, &field)) return false;
    switch (field.tag) {
      case TAG(1, BYTES):
        if (!read_revision(field, 0, &answer->revision)) return false;
        break;
      case TAG(3, NUMBER): answer->is_created = field.number != 0; break;
      case TAG(4, NUMBER): answer->is_canceled = field.number != 0; break;
      case TAG(11, BYTES):
        answer->events++;
        if (!read_revision(field, 2, &answer->event_revision)) return false;
        break;
      default: break;
    }
  }
  return true;
}
