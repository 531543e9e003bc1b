// GSettings over dconf. Needs a session bus; sets are on their way when the call returns. Storing
// 100,000 keys at once can take dconf longer than it waits for itself.
// packages: libglib2.0-dev libglib2.0-bin dconf-gsettings-backend dbus
// flags: $(pkg-config --cflags --libs gio-2.0)
#define G_SETTINGS_ENABLE_BACKEND
#include "peer.h"
#include <gio/gio.h>
#include <gio/gsettingsbackend.h>
#include <stdio.h>
#include <string.h>

static const char *const schema_name = "org.strata.bench";

static void *open_store(const char *directory, char *reason, size_t reason_size) {
  if (!g_getenv("DBUS_SESSION_BUS_ADDRESS")) {
    snprintf(reason, reason_size, "there is no session bus");
    return NULL;
  }
  g_setenv("GSETTINGS_BACKEND", "dconf", TRUE);
  const char *backend = G_OBJECT_TYPE_NAME(g_settings_backend_get_default());
  if (!strstr(backend, "DConf")) {
    snprintf(reason, reason_size, "the backend is %s, not dconf", backend);
    return NULL;
  }
  GError *error = NULL;
  GSettingsSchemaSource *source =
      g_settings_schema_source_new_from_directory(directory, NULL, TRUE, &error);
  if (!source) {
    snprintf(reason, reason_size, "%s", error->message);
    return NULL;
  }
  g_autofree char *name = g_path_get_basename(directory);
  g_autofree char *path = g_strdup_printf("/bench/%s/", name);
  GSettingsSchema *schema = g_settings_schema_source_lookup(source, schema_name, FALSE);
  return g_settings_new_full(schema, NULL, path);
}

static void close_store(void *store) { g_object_unref(store); }

static int64_t read_keys(
    void *store, int kind, const char *const *keys, long key_count, long operations) {
  int64_t sum = 0;
  for (long i = 0, key = 0; i < operations; i++) {
    if (kind == BENCH_BOOLEAN) {
      sum += g_settings_get_boolean(store, keys[key]);
    } else if (kind == BENCH_INTEGER) {
      sum += g_settings_get_int64(store, keys[key]);
    } else {
      char *text = g_settings_get_string(store, keys[key]);
      sum += (int64_t)strlen(text);
      g_free(text);
    }
    if (++key == key_count) key = 0;
  }
  return sum;
}

static int set(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  for (long i = 0; i < operations; i++)
    if (!g_settings_set_int64(store, keys[i % key_count], first + i)) return -1;
  return 0;
}

static int set_read(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  for (long i = 0; i < operations; i++) {
    const char *key = keys[i % key_count];
    if (!g_settings_set_int64(store, key, first + i)) return -1;
    if (g_settings_get_int64(store, key) != first + i) return -1;
  }
  return 0;
}

static int set_synchronize(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  for (long i = 0; i < operations; i++) {
    if (!g_settings_set_int64(store, keys[i % key_count], first + i)) return -1;
    g_settings_sync();
  }
  return 0;
}

static int compile_schema(const char *directory, const char *const *keys, long key_count) {
  static const char *const types[] = {"b", "x", "s"}, *const values[] = {"false", "0", "''"};
  g_autofree char *path = g_strdup_printf("%s/%s.gschema.xml", directory, schema_name);
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fprintf(file, "<schemalist><schema id=\"%s\">\n", schema_name);
  for (long i = 0; i < key_count; i++)
    fprintf(
        file, "<key name=\"%s\" type=\"%s\"><default>%s</default></key>\n", keys[i], types[i % 3],
        values[i % 3]);
  fprintf(file, "</schema></schemalist>\n");
  fclose(file);
  const char *arguments[] = {"glib-compile-schemas", directory, NULL};
  int status = -1;
  return g_spawn_sync(
             NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status,
             NULL)
          && status == 0
      ? 0
      : -1;
}

static int prepare(const char *directory, const char *const *keys, long key_count) {
  char reason[200];
  if (compile_schema(directory, keys, key_count)) return -1;
  GSettings *store = open_store(directory, reason, sizeof reason);
  if (!store) return -1;
  g_settings_delay(store);
  for (long i = 0; i < key_count; i++) {
    if (i % 3 == BENCH_BOOLEAN) g_settings_set_boolean(store, keys[i], bench_boolean(i));
    else if (i % 3 == BENCH_INTEGER) g_settings_set_int64(store, keys[i], bench_integer(i));
    else g_settings_set_string(store, keys[i], bench_string());
  }
  g_settings_apply(store);
  g_settings_sync();
  g_object_unref(store);
  return 0;
}

struct observation {
  int (*told)(int64_t value, void *context);
  void *context;
  GMainLoop *loop;
};

static void changed(GSettings *settings, const char *key, gpointer data) {
  struct observation *observation = data;
  if (observation->told(g_settings_get_int64(settings, key), observation->context))
    g_main_loop_quit(observation->loop);
}

static int observe(
    void *store, const char *key, int (*told)(int64_t value, void *context), void *context) {
  struct observation observation = {told, context, g_main_loop_new(NULL, FALSE)};
  g_autofree char *signal = g_strdup_printf("changed::%s", key);
  gulong handler = g_signal_connect(store, signal, G_CALLBACK(changed), &observation);
  g_settings_get_int64(store, key);  // of what was never read nothing is told
  g_main_loop_run(observation.loop);
  g_signal_handler_disconnect(store, handler);
  g_main_loop_unref(observation.loop);
  return 0;
}

const struct bench_peer *bench_peer(void) {
  static const struct bench_peer peer = {
      "GSettings", 1000, 1000, 1000, 0, 1,
      open_store, close_store, prepare, read_keys, set, set_read, set_synchronize, observe};
  return &peer;
}
