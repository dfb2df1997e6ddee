// A wall clock that a test can hold and move, for a redis-server that is started with this library preloaded.
// The file that LOCKBENCH_CLOCK names holds one int64: the time in microseconds since 1970. Other clocks go on as usual.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *now;

__attribute__((constructor)) static void open_clock(void) {
  const char *name = getenv("LOCKBENCH_CLOCK");
  int fd = name ? open(name, O_RDONLY) : -1;
  if (fd < 0) return;
  void *p = mmap(0, sizeof *now, PROT_READ, MAP_SHARED, fd, 0);
  if (p != MAP_FAILED) now = p;
  close(fd);
}

int clock_gettime(clockid_t id, struct timespec *ts) {
  if (!now || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return syscall(SYS_clock_gettime, id, ts);
  int64_t us = *now;
  ts->tv_sec = us / 1000000;
  ts->tv_nsec = us % 1000000 * 1000;
  return 0;
}

int gettimeofday(struct timeval *tv, void *zone) {
  struct timespec ts;
  (void)zone;
  int err = clock_gettime(CLOCK_REALTIME, &ts);
  if (!err && tv) {
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = ts.tv_nsec / 1000;
  }
  return err;
}

time_t time(time_t *t) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  if (t) *t = ts.tv_sec;
  return ts.tv_sec;
}
