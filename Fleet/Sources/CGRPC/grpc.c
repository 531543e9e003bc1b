#include <features.h>

#include "fleet_grpc.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct fleet_channel {
  grpc_channel *channel;
};

struct fleet_call {
  grpc_call *call;
  // One for the owner, and one for each batch under way: they write into what is below.
  _Atomic int references;
  int is_stream_begun;
  size_t metadata_count;
  grpc_metadata *metadata;
  grpc_metadata_array initial;
  grpc_metadata_array trailing;
  grpc_byte_buffer *received;
  grpc_status_code status;
  grpc_slice details;
  char *details_text;
};

// What a batch hands back when it is over.
struct batch {
  fleet_call *call;
  fleet_done done;
  void *context;
  grpc_byte_buffer *sent;
};

static grpc_completion_queue *queue;

// The library checks how large a message is only when it has all of it, and a server may send 4 GB.
static const size_t channel_bytes_max = 256 << 20;

static void release(fleet_call *call) {
  // The last one to leave must see what the others wrote.
  if (atomic_fetch_sub_explicit(&call->references, 1, memory_order_acq_rel) != 1) return;
  grpc_call_unref(call->call);
  for (size_t i = 0; i < call->metadata_count; i++) {
    grpc_slice_unref(call->metadata[i].key);
    grpc_slice_unref(call->metadata[i].value);
  }
  free(call->metadata);
  grpc_metadata_array_destroy(&call->initial);
  grpc_metadata_array_destroy(&call->trailing);
  if (call->received != NULL) grpc_byte_buffer_destroy(call->received);
  grpc_slice_unref(call->details);
  gpr_free(call->details_text);
  free(call);
}

static void finish(struct batch *batch, int ok) {
  if (batch->sent != NULL) grpc_byte_buffer_destroy(batch->sent);
  batch->done(batch->context, ok);
  release(batch->call);
  free(batch);
}

static void ignore(void *context, int ok) {
  (void)context;
  (void)ok;
}

static void *wait_for_ever(void *unused) {
  (void)unused;
  for (;;) {
    grpc_event event =
        grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    if (event.type == GRPC_OP_COMPLETE) finish(event.tag, event.success);
  }
  return NULL;
}

static void begin(void) {
  grpc_init();
  queue = grpc_completion_queue_create_for_next(NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0) abort();
  pthread_detach(thread);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

// -- Channels

fleet_channel *fleet_channel_open(const char *target, const char *authority,
                                  const char *certificate, const char *key) {
  // Before the library reads it: its own lines say nothing that errors do not.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  pthread_once(&once, begin);
  // Each channel has its own: at the limit, any of those who share it may lose their calls.
  grpc_resource_quota *quota = grpc_resource_quota_create(NULL);
  grpc_resource_quota_resize(quota, channel_bytes_max);
  grpc_arg args[] = {
      {GRPC_ARG_INTEGER, GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, {.integer = 1}},
      {GRPC_ARG_INTEGER, GRPC_ARG_ENABLE_RETRIES, {.integer = 0}},
      {GRPC_ARG_POINTER, GRPC_ARG_RESOURCE_QUOTA,
       {.pointer = {quota, grpc_resource_quota_arg_vtable()}}},
      {GRPC_ARG_INTEGER, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, {.integer = 64 << 20}},
      {GRPC_ARG_INTEGER, GRPC_ARG_KEEPALIVE_TIME_MS, {.integer = 10000}},
      {GRPC_ARG_INTEGER, GRPC_ARG_KEEPALIVE_TIMEOUT_MS, {.integer = 3000}},
      {GRPC_ARG_INTEGER, GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, {.integer = 0}},
      {GRPC_ARG_INTEGER, GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, {.integer = 100}},
      {GRPC_ARG_INTEGER, GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, {.integer = 1000}},
      {GRPC_ARG_INTEGER, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, {.integer = 1000}},
  };
  grpc_channel_args all = {sizeof args / sizeof *args, args};
  grpc_ssl_pem_key_cert_pair pair = {key, certificate};
  grpc_channel_credentials *credentials =
      authority == NULL
          ? grpc_insecure_credentials_create()
          : grpc_ssl_credentials_create(authority, key == NULL ? NULL : &pair, NULL, NULL);
  fleet_channel *channel = credentials == NULL ? NULL : calloc(1, sizeof *channel);
  if (channel != NULL) channel->channel = grpc_channel_create(target, credentials, &all);
  if (credentials != NULL) grpc_channel_credentials_release(credentials);
  grpc_resource_quota_unref(quota);
  return channel;
}

void fleet_channel_close(fleet_channel *channel) {
  grpc_channel_destroy(channel->channel);
  free(channel);
}

int fleet_channel_has_failed(fleet_channel *channel) {
  grpc_connectivity_state state = grpc_channel_check_connectivity_state(channel->channel, 0);
  return state == GRPC_CHANNEL_CONNECTING || state == GRPC_CHANNEL_TRANSIENT_FAILURE;
}

// -- Calls

fleet_call *fleet_call_begin(fleet_channel *channel, const char *method, int64_t milliseconds,
                             const char *const *names, const char *const *values, size_t count) {
  fleet_call *call = calloc(1, sizeof *call);
  if (call == NULL) return NULL;
  call->references = 1;
  call->details = grpc_empty_slice();
  grpc_metadata_array_init(&call->initial);
  grpc_metadata_array_init(&call->trailing);
  call->metadata = calloc(count + 1, sizeof *call->metadata);
  if (call->metadata == NULL) {
    free(call);
    return NULL;
  }
  call->metadata_count = count;
  for (size_t i = 0; i < count; i++) {
    call->metadata[i].key = grpc_slice_from_copied_string(names[i]);
    call->metadata[i].value = grpc_slice_from_copied_string(values[i]);
  }
  gpr_timespec end =
      milliseconds > 0
          ? gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                         gpr_time_from_millis(milliseconds, GPR_TIMESPAN))
          : gpr_inf_future(GPR_CLOCK_MONOTONIC);
  grpc_slice path = grpc_slice_from_copied_string(method);
  call->call = grpc_channel_create_call(channel->channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue,
                                        path, NULL, end, NULL);
  grpc_slice_unref(path);
  return call;
}

static struct batch *make_batch(fleet_call *call, fleet_done done, void *context) {
  struct batch *batch = calloc(1, sizeof *batch);
  if (batch == NULL) abort();
  *batch = (struct batch){call, done, context, NULL};
  atomic_fetch_add_explicit(&call->references, 1, memory_order_relaxed);
  return batch;
}

static void start(struct batch *batch, grpc_op *ops, size_t count) {
  // The queue's thread reads the batch; a release here and its acquire order that for tools that
  // do not see into the library.
  atomic_thread_fence(memory_order_release);
  if (grpc_call_start_batch(batch->call->call, ops, count, batch, NULL) != GRPC_CALL_OK)
    finish(batch, 0);
}

static grpc_byte_buffer *buffer(const void *bytes, size_t count) {
  grpc_slice slice = grpc_slice_from_copied_buffer(bytes, count);
  grpc_byte_buffer *result = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  return result;
}

static grpc_op metadata_op(fleet_call *call) {
  grpc_op op = {.op = GRPC_OP_SEND_INITIAL_METADATA};
  op.data.send_initial_metadata.metadata = call->metadata;
  op.data.send_initial_metadata.count = call->metadata_count;
  return op;
}

static grpc_op message_op(struct batch *batch, const void *bytes, size_t count) {
  batch->sent = buffer(bytes, count);
  grpc_op op = {.op = GRPC_OP_SEND_MESSAGE};
  op.data.send_message.send_message = batch->sent;
  return op;
}

static grpc_op initial_op(fleet_call *call) {
  grpc_op op = {.op = GRPC_OP_RECV_INITIAL_METADATA};
  op.data.recv_initial_metadata.recv_initial_metadata = &call->initial;
  return op;
}

static grpc_op receive_op(fleet_call *call) {
  if (call->received != NULL) grpc_byte_buffer_destroy(call->received);
  call->received = NULL;
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
  op.data.recv_message.recv_message = &call->received;
  return op;
}

static grpc_op status_op(fleet_call *call) {
  grpc_op op = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};
  op.data.recv_status_on_client.trailing_metadata = &call->trailing;
  op.data.recv_status_on_client.status = &call->status;
  op.data.recv_status_on_client.status_details = &call->details;
  return op;
}

void fleet_call_ask(fleet_call *call, const void *bytes, size_t count, fleet_done done,
                    void *context) {
  struct batch *batch = make_batch(call, done, context);
  grpc_op ops[] = {
      metadata_op(call), message_op(batch, bytes, count), {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      initial_op(call),  receive_op(call),                status_op(call),
  };
  start(batch, ops, sizeof ops / sizeof *ops);
}

void fleet_stream_send(fleet_call *call, const void *bytes, size_t count, fleet_done done,
                       void *context) {
  struct batch *batch = make_batch(call, done, context);
  if (call->is_stream_begun) {
    grpc_op op = message_op(batch, bytes, count);
    return start(batch, &op, 1);
  }
  call->is_stream_begun = 1;
  grpc_op ops[] = {metadata_op(call), message_op(batch, bytes, count)};
  start(batch, ops, sizeof ops / sizeof *ops);
  // A server may send its metadata only with its first answer, and the next message of ours does
  // not wait for that.
  grpc_op op = initial_op(call);
  start(make_batch(call, ignore, NULL), &op, 1);
}

void fleet_stream_receive(fleet_call *call, fleet_done done, void *context) {
  struct batch *batch = make_batch(call, done, context);
  grpc_op op = receive_op(call);
  start(batch, &op, 1);
}

void fleet_stream_finish(fleet_call *call, fleet_done done, void *context) {
  struct batch *batch = make_batch(call, done, context);
  grpc_op op = status_op(call);
  start(batch, &op, 1);
}

size_t fleet_call_message_size(fleet_call *call) {
  return call->received == NULL ? 0 : grpc_byte_buffer_length(call->received);
}

int fleet_call_take_message(fleet_call *call, void *bytes, size_t count) {
  if (call->received == NULL) return 0;
  size_t used = 0;
  grpc_byte_buffer_reader reader;
  if (grpc_byte_buffer_reader_init(&reader, call->received)) {
    grpc_slice slice;
    while (grpc_byte_buffer_reader_next(&reader, &slice)) {
      size_t length = GRPC_SLICE_LENGTH(slice);
      if (length != 0 && length <= count - used) {
        memcpy((char *)bytes + used, GRPC_SLICE_START_PTR(slice), length);
        used += length;
      }
      grpc_slice_unref(slice);
    }
    grpc_byte_buffer_reader_destroy(&reader);
  }
  grpc_byte_buffer_destroy(call->received);
  call->received = NULL;
  return used == count;
}

int fleet_call_status(fleet_call *call) { return (int)call->status; }

const char *fleet_call_details(fleet_call *call) {
  if (call->details_text == NULL) call->details_text = grpc_slice_to_c_string(call->details);
  return call->details_text == NULL ? "" : call->details_text;
}

void fleet_call_cancel(fleet_call *call) { grpc_call_cancel(call->call, NULL); }

void fleet_call_release(fleet_call *call) { release(call); }
