// What Swift cannot say: calls with a variable number of arguments, and the page's files as bytes.
#pragma once

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

struct page_file {
  const char *path;
  const char *type;
  const unsigned char *bytes;
  size_t size;
};

const struct page_file *page_files_start(void);
extern const size_t page_files_count;

// Serves on the loopback interface until the process ends; port 0 stands for any that is free.
// Returns NULL if that is not possible, with the reason in errno.
struct MHD_Daemon *page_serve(uint16_t port, MHD_AccessHandlerCallback answer,
                              MHD_RequestCompletedCallback complete,
                              MHD_NotifyConnectionCallback connect, void *context);

// The socket of a connection; -1 if there is none.
int page_descriptor(struct MHD_Connection *connection);

// Opens what stands for the standard streams where they are closed, so that no socket does.
void page_open_standard_streams(void);

uint16_t page_port(struct MHD_Daemon *daemon);

// Has this process end when the one that started it does. Returns 0 if that has ended already.
int page_end_with_parent(void);

// Waits for a signal that ends the process; returns it, or 0 after a second.
int page_wait_for_end(void);

// Blocks those signals in all threads that begin later.
void page_block_signals(void);
