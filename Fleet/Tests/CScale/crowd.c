#include "scale.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

enum phase { PAUSED, CONNECTING, HANDSHAKING, GREETING, READING, CREATING, FOLLOWING };

// In nanoseconds; those of the agent and its client, which this must follow.
static const int64_t ms = 1000000, never = INT64_MAX;
static const int64_t tick = 10 * ms, ping_interval = 10000 * ms;
static const int64_t connect_limit = 1000 * ms, create_limit = 3000 * ms, read_limit = 5000 * ms;
static const int64_t pause_min = 50 * ms, pause_max = 60000 * ms;

struct agent {
  int64_t next;       // when its phase ends: a pause, or what must have happened by then
  int64_t begun_at;   // its connection
  int64_t report_at;  // never: nothing is due
  int64_t ping_at;
  int64_t revision;  // up to which it knows everything; 0: nothing
  uint8_t phase, created, failures;
  bool is_reported;
  int file;
  uint32_t stream;  // that was begun last
  uint32_t watch, call;  // the streams of the watches and of a call; 0: none
  SSL *ssl;
  uint8_t *held;  // the beginning of a frame
  size_t held_count;
};

struct scale_crowd {
  int count, port_count, poll;
  uint16_t ports[16];
  SSL_CTX *tls;  // NULL: plaintext
  int64_t spread;  // over which reports are put; 0: there are none
  unsigned seed;
  pthread_t thread;
  atomic_bool is_stopped;
  atomic_int following, reported;
  _Atomic int64_t changes, attempts;
  _Atomic int64_t *changed_at, *followed_at;
  struct agent *agents;
  uint8_t buffer[1 << 16];
};

int64_t scale_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t below(scale_crowd *crowd, int64_t limit) {
  return (int64_t)((double)limit * rand_r(&crowd->seed) / ((double)RAND_MAX + 1));
}

static int host(const scale_crowd *crowd, const struct agent *agent) {
  return (int)(agent - crowd->agents);
}

// -- Sending

// A socket has room for the little that an agent sends; one that has not is as good as lost.
static bool send_text(struct agent *agent, const struct text *text) {
  ssize_t sent = agent->ssl == NULL
                     ? send(agent->file, text->bytes, text->count, MSG_NOSIGNAL)
                     : SSL_write(agent->ssl, text->bytes, (int)text->count);
  return sent == (ssize_t)text->count;
}

static bool send_frame(struct agent *agent, enum frame_type type, int flags, const void *payload,
                       size_t count) {
  struct text out = {0};
  add_frame(&out, type, flags, 0, payload, count);
  return send_text(agent, &out);
}

static uint32_t next_stream(struct agent *agent) {
  agent->stream = agent->stream == 0 ? 1 : agent->stream + 2;
  return agent->stream;
}

static bool call(struct agent *agent, const struct text *message) {
  struct text out = {0};
  agent->call = next_stream(agent);
  add_call(&out, agent->call, "/etcdserverpb.KV/Txn", agent->ssl != NULL, message, false);
  return send_text(agent, &out);
}

static bool read_ranges(scale_crowd *crowd, struct agent *agent, int64_t now) {
  struct text message = {0};
  make_read(&message, host(crowd, agent));
  agent->phase = READING;
  agent->next = now + read_limit;
  return call(agent, &message);
}

// One after another: only their order says which range a created watch is for.
static bool create_watch(scale_crowd *crowd, struct agent *agent) {
  struct text message = {0}, out = {0};
  make_watch(&message, host(crowd, agent), agent->created, agent->revision);
  if (agent->watch == 0) {
    agent->phase = CREATING;
    agent->watch = next_stream(agent);
    add_call(&out, agent->watch, "/etcdserverpb.Watch/Watch", agent->ssl != NULL, &message, true);
  } else {
    add_message(&out, agent->watch, &message, 0);
  }
  return send_text(agent, &out);
}

static void ask_for_report(scale_crowd *crowd, struct agent *agent, int64_t now) {
  if (crowd->spread > 0) agent->report_at = now + below(crowd, crowd->spread);
}

static void set_reported(scale_crowd *crowd, struct agent *agent, bool is_reported) {
  crowd->reported += is_reported - agent->is_reported;
  agent->is_reported = is_reported;
}

static bool report(scale_crowd *crowd, struct agent *agent) {
  struct text message = {0};
  make_status(&message, host(crowd, agent), agent->revision);
  agent->report_at = never;
  return call(agent, &message);
}

// -- Receiving

static void did_follow(scale_crowd *crowd, struct agent *agent, int64_t now) {
  agent->phase = FOLLOWING;
  agent->next = never;
  agent->failures = 0;
  agent->ping_at = now + ping_interval;
  if (!agent->is_reported) ask_for_report(crowd, agent, now);
  crowd->followed_at[host(crowd, agent)] = now;
  crowd->following++;
}

static bool take_watch(scale_crowd *crowd, struct agent *agent, const struct answer *answer,
                       int64_t now) {
  if (answer->is_canceled) return false;
  if (answer->events > 0) {
    agent->revision = answer->event_revision;
    ask_for_report(crowd, agent, now);
    set_reported(crowd, agent, false);
    crowd->changed_at[host(crowd, agent)] = now;
    crowd->changes += answer->events;
  }
  if (!answer->is_created) return true;
  if (++agent->created < scale_range_count) return create_watch(crowd, agent);
  did_follow(crowd, agent, now);
  return true;
}

static bool take_call(scale_crowd *crowd, struct agent *agent, const struct answer *answer,
                      int64_t now) {
  agent->call = 0;
  if (agent->phase != READING) {
    if (agent->report_at == never) set_reported(crowd, agent, true);
    return true;
  }
  agent->revision = answer->revision;
  agent->next = now + create_limit;
  return create_watch(crowd, agent);
}

// A server that cuts a message into several frames is not expected: all are small.
static bool take_data(scale_crowd *crowd, struct agent *agent, uint32_t stream,
                      const uint8_t *bytes, size_t count, int64_t now) {
  while (count > 0) {
    if (count < 5 || bytes[0] != 0) return false;
    size_t size = (size_t)bytes[1] << 24 | bytes[2] << 16 | bytes[3] << 8 | bytes[4];
    struct answer answer;
    if (size > count - 5 || !read_answer(bytes + 5, size, &answer)) return false;
    bool is_taken = stream == agent->watch  ? take_watch(crowd, agent, &answer, now)
                    : stream == agent->call ? take_call(crowd, agent, &answer, now)
                                            : false;
    if (!is_taken) return false;
    bytes += 5 + size;
    count -= 5 + size;
  }
  return true;
}

static bool greet(scale_crowd *crowd, struct agent *agent, int64_t now) {
  if (!send_frame(agent, SETTINGS, ACK, NULL, 0)) return false;
  if (agent->phase != GREETING) return true;
  if (agent->revision == 0) return read_ranges(crowd, agent, now);
  agent->next = agent->begun_at + create_limit;
  return create_watch(crowd, agent);
}

static bool take_frame(scale_crowd *crowd, struct agent *agent, const uint8_t *head,
                       const uint8_t *payload, size_t count, int64_t now) {
  int type = head[3], flags = head[4];
  uint32_t stream = (uint32_t)head[5] << 24 | head[6] << 16 | head[7] << 8 | head[8];
  switch (type) {
    case DATA: return take_data(crowd, agent, stream, payload, count, now);
    case SETTINGS: return flags & ACK ? true : greet(crowd, agent, now);
    case PING: return flags & ACK ? true : send_frame(agent, PING, ACK, payload, count);
    // The end of a call that was answered, or of what should not end.
    case HEADERS: return !(flags & END_STREAM) || (stream != agent->watch && stream != agent->call);
    case RST_STREAM: return stream != agent->watch && stream != agent->call;
    case GOAWAY: return false;
    default: return true;
  }
}

static bool take_frames(scale_crowd *crowd, struct agent *agent, size_t count, int64_t now) {
  const uint8_t *at = crowd->buffer, *end = at + count;
  while (end - at >= 9) {
    size_t size = (size_t)at[0] << 16 | at[1] << 8 | at[2];
    if ((size_t)(end - at) < 9 + size) break;
    if (!take_frame(crowd, agent, at, at + 9, size, now)) return false;
    at += 9 + size;
  }
  agent->held_count = (size_t)(end - at);
  if (at == end) return true;
  agent->held = malloc(agent->held_count);
  if (agent->held == NULL) abort();
  memcpy(agent->held, at, agent->held_count);
  return true;
}

static bool receive(scale_crowd *crowd, struct agent *agent) {
  do {
    size_t held = agent->held_count, room = sizeof crowd->buffer - held;
    if (held > 0) memcpy(crowd->buffer, agent->held, held);
    free(agent->held);
    agent->held = NULL;
    ssize_t count = agent->ssl == NULL
                        ? recv(agent->file, crowd->buffer + held, room, 0)
                        : SSL_read(agent->ssl, crowd->buffer + held, (int)room);
    bool is_empty = count < 0 && (agent->ssl == NULL ? errno == EAGAIN
                                                     : SSL_get_error(agent->ssl, (int)count) ==
                                                           SSL_ERROR_WANT_READ);
    if (count <= 0 && !is_empty) return false;
    if (!take_frames(crowd, agent, held + (size_t)(is_empty ? 0 : count), scale_now()))
      return false;
    if (is_empty) return true;
  } while (agent->ssl != NULL && SSL_has_pending(agent->ssl));
  return true;
}

// -- Connecting

static void disconnect(scale_crowd *crowd, struct agent *agent) {
  if (agent->phase == FOLLOWING) crowd->following--;
  if (agent->ssl != NULL) SSL_free(agent->ssl);
  if (agent->file >= 0) close(agent->file);
  free(agent->held);
  *agent = (struct agent){.file = -1, .next = never, .report_at = never, .ping_at = never,
                          .revision = agent->revision, .failures = agent->failures,
                          .is_reported = agent->is_reported};
}

static void fail(scale_crowd *crowd, struct agent *agent) {
  disconnect(crowd, agent);
  int64_t pause = agent->failures > 20 ? pause_max : pause_min << agent->failures;
  if (pause > pause_max) pause = pause_max;
  if (agent->failures < 255) agent->failures++;
  agent->next = scale_now() + pause / 2 + below(crowd, pause / 2);
}

static bool begin_connection(scale_crowd *crowd, struct agent *agent, int64_t now) {
  crowd->attempts++;
  agent->phase = CONNECTING;
  agent->begun_at = now;
  agent->next = now + connect_limit;
  agent->file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (agent->file < 0) return false;
  int yes = 1;
  // Closed without a word, it leaves no address in use for a minute.
  struct linger none = {.l_onoff = 1};
  setsockopt(agent->file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(agent->file, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  to.sin_port = htons(crowd->ports[host(crowd, agent) % crowd->port_count]);
  if (connect(agent->file, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS)
    return false;
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = agent};
  return epoll_ctl(crowd->poll, EPOLL_CTL_ADD, agent->file, &event) == 0;
}

static bool shake_hands(struct agent *agent) {
  if (agent->ssl != NULL) {
    int code = SSL_do_handshake(agent->ssl);
    if (code != 1) return SSL_get_error(agent->ssl, code) == SSL_ERROR_WANT_READ;
  }
  struct text out = {0};
  add_preface(&out);
  agent->phase = GREETING;
  return send_text(agent, &out);
}

static bool did_connect(scale_crowd *crowd, struct agent *agent) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(agent->file, SOL_SOCKET, SO_ERROR, &error, &size);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = agent};
  if (error != 0 || epoll_ctl(crowd->poll, EPOLL_CTL_MOD, agent->file, &event) < 0) return false;
  agent->phase = HANDSHAKING;
  if (crowd->tls != NULL) {
    agent->ssl = SSL_new(crowd->tls);
    if (agent->ssl == NULL || SSL_set_fd(agent->ssl, agent->file) != 1) return false;
    SSL_set_connect_state(agent->ssl);
  }
  return shake_hands(agent);
}

// -- The thread

static bool take_event(scale_crowd *crowd, struct agent *agent) {
  if (agent->phase == CONNECTING) return did_connect(crowd, agent);
  if (agent->phase == HANDSHAKING) return shake_hands(agent);
  return receive(crowd, agent);
}

static bool take_time(scale_crowd *crowd, struct agent *agent, int64_t now) {
  if (now >= agent->next) return agent->phase == PAUSED && begin_connection(crowd, agent, now);
  if (agent->phase != FOLLOWING) return true;
  if (now >= agent->ping_at) {
    agent->ping_at = now + ping_interval;
    if (!send_frame(agent, PING, 0, "strata..", 8)) return false;
  }
  return now < agent->report_at || agent->call != 0 || report(crowd, agent);
}

static void *run(void *context) {
  scale_crowd *crowd = context;
  struct epoll_event events[256];
  int64_t look_at = 0;
  while (!crowd->is_stopped) {
    int count = epoll_wait(crowd->poll, events, sizeof events / sizeof *events, 10);
    for (int i = 0; i < count; i++) {
      struct agent *agent = events[i].data.ptr;
      if (!take_event(crowd, agent)) fail(crowd, agent);
    }
    int64_t now = scale_now();
    if (now < look_at) continue;
    look_at = now + tick;
    for (struct agent *agent = crowd->agents; agent < crowd->agents + crowd->count; agent++)
      if (!take_time(crowd, agent, now)) fail(crowd, agent);
  }
  for (int i = 0; i < crowd->count; i++) disconnect(crowd, &crowd->agents[i]);
  return NULL;
}

static SSL_CTX *open_tls(const char *authority, const char *certificate, const char *key) {
  SSL_CTX *tls = SSL_CTX_new(TLS_client_method());
  if (tls == NULL) return NULL;
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_read_ahead(tls, 1);
  SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_load_verify_locations(tls, authority, NULL) == 1 &&
      SSL_CTX_use_certificate_file(tls, certificate, SSL_FILETYPE_PEM) == 1 &&
      SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) == 1 &&
      X509_VERIFY_PARAM_set1_ip_asc(SSL_CTX_get0_param(tls), "127.0.0.1") == 1 &&
      SSL_CTX_set_alpn_protos(tls, (const uint8_t *)"\2h2", 3) == 0)
    return tls;
  SSL_CTX_free(tls);
  return NULL;
}

scale_crowd *scale_start(int count, const uint16_t *ports, int port_count, double seconds,
                         double spread, const char *authority, const char *certificate,
                         const char *key) {
  scale_crowd *crowd = calloc(1, sizeof *crowd);
  if (crowd == NULL || port_count < 1 || port_count > 16) return NULL;
  signal(SIGPIPE, SIG_IGN);
  crowd->count = count;
  crowd->port_count = port_count;
  crowd->spread = (int64_t)(spread * 1e9);
  memcpy(crowd->ports, ports, sizeof *ports * (size_t)port_count);
  crowd->agents = calloc((size_t)count, sizeof *crowd->agents);
  crowd->changed_at = calloc((size_t)count, sizeof *crowd->changed_at);
  crowd->followed_at = calloc((size_t)count, sizeof *crowd->followed_at);
  crowd->poll = epoll_create1(EPOLL_CLOEXEC);
  if (authority != NULL) crowd->tls = open_tls(authority, certificate, key);
  if (crowd->agents == NULL || crowd->changed_at == NULL || crowd->followed_at == NULL ||
      crowd->poll < 0 || (authority != NULL && crowd->tls == NULL))
    return NULL;
  for (int i = 0; i < count; i++) {
    crowd->agents[i].file = -1;
    disconnect(crowd, &crowd->agents[i]);
    crowd->agents[i].next = scale_now() + (int64_t)(seconds * 1e9 * i / count);
  }
  return pthread_create(&crowd->thread, NULL, run, crowd) == 0 ? crowd : NULL;
}

void scale_stop(scale_crowd *crowd) {
  crowd->is_stopped = true;
  pthread_join(crowd->thread, NULL);
  close(crowd->poll);
  if (crowd->tls != NULL) SSL_CTX_free(crowd->tls);
  free(crowd->agents);
  free(crowd->changed_at);
  free(crowd->followed_at);
  free(crowd);
}

// -- Figures

int scale_following(scale_crowd *crowd) { return crowd->following; }
int scale_reported(scale_crowd *crowd) { return crowd->reported; }
int64_t scale_changes(scale_crowd *crowd) { return crowd->changes; }
int64_t scale_attempts(scale_crowd *crowd) { return crowd->attempts; }

void scale_change_times(scale_crowd *crowd, int64_t *times) {
  for (int i = 0; i < crowd->count; i++) times[i] = crowd->changed_at[i];
}

void scale_follow_times(scale_crowd *crowd, int64_t *times) {
  for (int i = 0; i < crowd->count; i++) times[i] = crowd->followed_at[i];
}

int64_t scale_nanoseconds(scale_crowd *crowd) {
  clockid_t clock;
  struct timespec time = {0};
  if (pthread_getcpuclockid(crowd->thread, &clock) == 0) clock_gettime(clock, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

// Not one of those that the kernel gives to whoever connects: thousands who try to reach a server
// that is away would soon have its port, and be connected to themselves.
uint16_t scale_free_port(void) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  bool is_free = false;
  for (int i = 0; i < 100 && !is_free; i++) {
    uint16_t number = 0;
    if (getentropy(&number, sizeof number) < 0) return 0;
    own.sin_port = htons(10000 + number % 20000);
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    is_free = bind(file, (struct sockaddr *)&own, sizeof own) == 0;
    close(file);
  }
  return is_free ? ntohs(own.sin_port) : 0;
}
