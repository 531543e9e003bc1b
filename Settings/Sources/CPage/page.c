#include "page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const unsigned char html[] = {
#embed "page.html"
};
static const unsigned char style[] = {
#embed "page.css"
};
static const unsigned char script[] = {
#embed "page.js"
};

static const struct page_file page_files[] = {
    {"/", "text/html; charset=utf-8", html, sizeof html},
    {"/page.css", "text/css; charset=utf-8", style, sizeof style},
    {"/page.js", "text/javascript; charset=utf-8", script, sizeof script},
};
const size_t page_files_count = sizeof page_files / sizeof page_files[0];
const struct page_file *page_files_start(void) { return page_files; }

// Who opens connections and sends nothing holds each for so many seconds.
enum { idle_seconds = 10, connections_max = 16000 };

// A connection is a descriptor: as many as the system lets this process have.
static unsigned raise_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  rlim_t most = limit.rlim_cur > 128 ? limit.rlim_cur - 64 : 64;
  return most < connections_max ? (unsigned)most : connections_max;
}

struct MHD_Daemon *page_serve(uint16_t port, MHD_AccessHandlerCallback answer,
                              MHD_RequestCompletedCallback complete,
                              MHD_NotifyConnectionCallback connect, void *context) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, answer, context,
      MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, complete, context,
      MHD_OPTION_NOTIFY_CONNECTION, connect, context,
      MHD_OPTION_CONNECTION_LIMIT, raise_limit(), MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(32 << 10),
      MHD_OPTION_END);
}

uint16_t page_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

int page_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

void page_open_standard_streams(void) {
  for (int stream = 0; stream < 3; stream++) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDWR);
  }
}

int page_end_with_parent(void) {
  pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

// What ends the server; a signal that whoever started it has ignored, as nohup does, does not.
static sigset_t ends(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  sigset_t set;
  sigemptyset(&set);
  for (size_t place = 0; place < sizeof signals / sizeof signals[0]; place++) {
    struct sigaction action;
    int is_ignored =
        sigaction(signals[place], NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_ignored) sigaddset(&set, signals[place]);
  }
  return set;
}

void page_block_signals(void) {
  sigset_t set = ends();
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int page_wait_for_end(void) {
  sigset_t set = ends();
  struct timespec second = {.tv_sec = 1};
  int number = sigtimedwait(&set, NULL, &second);
  return number > 0 ? number : 0;
}
