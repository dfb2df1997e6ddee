/* Moves the wall clock of a redis-server that is started with it in LD_PRELOAD: to what the clock shows it adds the
   nanoseconds in the first eight bytes of the file that LOCKBENCH_CLOCK names, read anew each time. If the file has eight more and they are not
   zero, the clock stands still at so many nanoseconds since 1970: what lies behind the end of a file reads as zero. The monotonic clock is left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *file; /* the offset, and where it stands still */
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void map_offset(void) {
	real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	const char *path = getenv("LOCKBENCH_CLOCK");
	int fd = path ? open(path, O_RDONLY) : -1;
	if (fd < 0) return;
	void *page = mmap(0, 2 * sizeof *file, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) file = page;
	close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *ts) {
	/* the allocator may ask for the time before the constructor above has run */
	int r = real_clock_gettime ? real_clock_gettime(clock, ts) : (int)syscall(SYS_clock_gettime, clock, ts);
	if (r == 0 && file && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		int64_t ns = (int64_t)ts->tv_sec * 1000000000LL + ts->tv_nsec + file[0];
		if (file[1]) ns = file[1];
		ts->tv_sec = ns / 1000000000LL;
		ts->tv_nsec = ns % 1000000000LL;
	}
	return r;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
	struct timespec ts;
	(void)zone;
	if (!tv) return 0;
	int r = clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return r;
}

time_t time(time_t *t) {
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	if (t) *t = ts.tv_sec;
	return ts.tv_sec;
}
