// This library puts a program into virtual time. It is loaded before the C library.
//
// The stepper and the library share a page (LOCKBENCH_PAGE). The page has the time that all clocks
// show, and a slot for each thread that waits with a deadline. Such a wait becomes one without a
// deadline, and a helper thread ends it when the stepper says that its deadline has passed. A
// connection to a server of the run becomes a socket pair, of which the stepper gets the other end.
// Random bytes come from a series that depends on the page's seed.
//
// What the library cannot do, it writes into the page as a message, and the stepper ends the run.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The page. The stepper knows its layout (page.go).
enum { SLOTS = 1024, FREE = 0, DESCRIPTOR, CONDITION, SEMAPHORE, FUTEX };
struct slot {
	_Atomic int32_t kind, expired;
	_Atomic int64_t deadline; // of the monotonic clock
	void *object, *mutex;
	int32_t event, taken;
	_Atomic int32_t awake; // 1: its clock goes on while the machine is suspended
};
struct page {
	_Atomic int64_t now;  // the monotonic clock, ns
	_Atomic int64_t wall; // what the wall clock is ahead of it
	_Atomic int64_t boot; // the same of the clock that counts the time since the start of the machine
	uint64_t seed;
	_Atomic int32_t used;   // slots that were ever used
	_Atomic int32_t failed; // 1: message is set
	int32_t first, servers; // ports of the run's servers
	_Atomic int32_t owner;  // the process that is stepped
	_Atomic int32_t run;    // number of the run, which decides the random series with the seed
	_Atomic int32_t parent; // 1: it has started another process
	char message[196];
	struct slot slots[SLOTS];
};
static struct page *page;
static int control = -1; // a socket: from the stepper a byte for due slots, to it new connections
static __thread int own_slot = -1;
static pthread_key_t slot_key;

// Of each descriptor: whether it is a connection to a server, and its time-out for reads.
enum { DESCRIPTORS = 1 << 16 };
static struct { _Atomic char ours; _Atomic int port; _Atomic int64_t patience; } about[DESCRIPTORS];

#define NEXT(result, name, arguments) static result (*next_##name) arguments
NEXT(int, clock_gettime, (clockid_t, struct timespec *));
NEXT(int, poll, (struct pollfd *, nfds_t, int));
NEXT(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *));
NEXT(int, cond_wait, (pthread_cond_t *, pthread_mutex_t *));
NEXT(int, cond_broadcast, (pthread_cond_t *));
NEXT(int, sem_wait, (sem_t *));
NEXT(int, sem_post, (sem_t *));
NEXT(int, connect, (int, const struct sockaddr *, socklen_t));
NEXT(int, close, (int));
NEXT(int, setsockopt, (int, int, int, const void *, socklen_t));
NEXT(int, getsockopt, (int, int, int, void *, socklen_t *));
NEXT(int, getpeername, (int, struct sockaddr *, socklen_t *));
NEXT(int, getsockname, (int, struct sockaddr *, socklen_t *));
NEXT(ssize_t, read, (int, void *, size_t));
NEXT(ssize_t, recv, (int, void *, size_t, int));
NEXT(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *));
NEXT(ssize_t, recvmsg, (int, struct msghdr *, int));
NEXT(ssize_t, readv, (int, const struct iovec *, int));
NEXT(int, open, (const char *, int, ...));
NEXT(int, openat, (int, const char *, int, ...));
NEXT(FILE *, fopen, (const char *, const char *));
NEXT(long, syscall, (long, ...));

static void find(void) {
	if (next_poll) return;
#define FIND(name) next_##name = dlsym(RTLD_NEXT, #name)
	FIND(clock_gettime); FIND(epoll_pwait); FIND(sem_wait); FIND(sem_post); FIND(connect);
	FIND(close); FIND(setsockopt); FIND(getsockopt); FIND(getpeername); FIND(getsockname);
	FIND(read); FIND(recv); FIND(recvfrom); FIND(recvmsg); FIND(readv); FIND(open); FIND(openat);
	FIND(fopen); FIND(syscall);
	next_cond_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	next_cond_broadcast = dlvsym(RTLD_NEXT, "pthread_cond_broadcast", "GLIBC_2.3.2");
	if (!next_cond_wait) {
		next_cond_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
		next_cond_broadcast = dlsym(RTLD_NEXT, "pthread_cond_broadcast");
	}
	FIND(poll);
}

static int64_t now(void) { return atomic_load(&page->now); }

static void fail(const char *format, ...) {
	if (!page || atomic_load(&page->failed)) return;
	va_list l;
	va_start(l, format);
	vsnprintf(page->message, sizeof page->message, format, l);
	va_end(l);
	atomic_store(&page->failed, 1);
}

// Slots.

static void give_slot_back(void *v) { page->slots[(intptr_t)v - 1].taken = 0; }

static struct slot *slot(void) {
	if (own_slot >= 0) return &page->slots[own_slot];
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &page->slots[i];
		if (__sync_bool_compare_and_swap(&s->taken, 0, 1)) {
			if (s->event <= 0) s->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
			own_slot = i;
			for (int u = atomic_load(&page->used); u <= i;)
				if (atomic_compare_exchange_weak(&page->used, &u, i + 1)) break;
			pthread_setspecific(slot_key, (void *)(intptr_t)(i + 1));
			return s;
		}
	}
	fail("more than %d threads wait at once", SLOTS);
	own_slot = 0;
	return &page->slots[0];
}

// A moment of the monotonic clock. If awake, it is nearer by the time that the machine is suspended.
struct moment { int64_t at; int32_t awake; };

static struct slot *begin(int kind, struct moment until, void *object, void *mutex) {
	struct slot *s = slot();
	s->object = object;
	s->mutex = mutex;
	atomic_store(&s->deadline, until.at);
	atomic_store(&s->awake, until.awake);
	atomic_store(&s->expired, 0);
	atomic_store(&s->kind, kind);
	return s;
}

// end reports whether the deadline has ended the wait.
static int end(struct slot *s) {
	int kind = atomic_exchange(&s->kind, FREE), saved = errno;
	if (kind == DESCRIPTOR) {
		uint64_t v;
		(void)!next_read(s->event, &v, sizeof v);
		errno = saved;
	}
	return atomic_load(&s->expired);
}

static void wake(struct slot *s) {
	int kind = atomic_load(&s->kind);
	if (kind == FREE || atomic_load(&s->deadline) > now() || atomic_exchange(&s->expired, 1)) return;
	uint64_t one = 1;
	switch (kind) {
	case DESCRIPTOR:
		(void)!write(s->event, &one, sizeof one);
		break;
	case CONDITION:
		pthread_mutex_lock(s->mutex);
		next_cond_broadcast(s->object);
		pthread_mutex_unlock(s->mutex);
		break;
	case SEMAPHORE:
		next_sem_post(s->object);
		break;
	case FUTEX:
		next_syscall(SYS_futex, s->object, FUTEX_WAKE | (s->mutex ? FUTEX_PRIVATE_FLAG : 0), INT32_MAX, 0,
			0, 0);
	}
}

static void *help(void *unused) {
	(void)unused;
	char c;
	while (next_recv(control, &c, 1, 0) == 1)
		for (int i = 0, n = atomic_load(&page->used); i < n; i++) wake(&page->slots[i]);
	_exit(0); // the stepper is gone
}

// forked leaves a child in real time. The stepper waits until it has ended.
static void forked(void) {
	if (page) atomic_store(&page->parent, 1);
	page = 0;
}

__attribute__((constructor)) static void start(void) {
	find();
	const char *at = getenv("LOCKBENCH_PAGE"), *c = getenv("LOCKBENCH_CONTROL");
	if (!at || !c || page) return;
	int fd = atoi(at);
	void *p = mmap(0, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) return;
	page = p;
	int owner = 0;
	int self = (int)next_syscall(SYS_getpid);
	if (!atomic_compare_exchange_strong(&page->owner, &owner, self) && owner != self) {
		forked();
		return;
	}
	memset(page->slots, 0, sizeof page->slots); // of the program that exec has replaced
	atomic_store(&page->used, 0);
	pthread_atfork(0, 0, forked);
	control = atoi(c);
	pthread_key_create(&slot_key, give_slot_back);
	pthread_t t;
	pthread_create(&t, 0, help, 0);
	pthread_setname_np(t, "lockbench");
}

// Clocks.

static int is_wall(clockid_t c) { return c == CLOCK_REALTIME || c == CLOCK_REALTIME_COARSE || c == CLOCK_TAI; }

static int is_monotonic(clockid_t c) {
	return c == CLOCK_MONOTONIC || c == CLOCK_MONOTONIC_COARSE || c == CLOCK_MONOTONIC_RAW;
}

static int is_awake(clockid_t c) { return is_wall(c) || c == CLOCK_BOOTTIME; }

// ahead returns what a clock is ahead of the monotonic one.
static int64_t ahead(clockid_t c) {
	return is_wall(c) ? atomic_load(&page->wall) : c == CLOCK_BOOTTIME ? atomic_load(&page->boot) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *ts) {
	find();
	if (!page || !(is_awake(clock) || is_monotonic(clock))) return next_clock_gettime(clock, ts);
	int64_t n = now() + ahead(clock);
	ts->tv_sec = n / 1000000000;
	ts->tv_nsec = n % 1000000000;
	return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
	(void)zone;
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	if (t) *t = ts.tv_sec;
	return ts.tv_sec;
}

static int64_t nanos(const struct timespec *t) { return t->tv_sec * 1000000000LL + t->tv_nsec; }

// deadline returns a moment on a clock.
static struct moment deadline(clockid_t clock, const struct timespec *t) {
	return (struct moment){nanos(t) - ahead(clock), is_awake(clock)};
}

static struct moment after(int64_t ns) { return (struct moment){now() + ns, 0}; }

// Waits for descriptors. A time below zero means for ever.

static int wait_until(struct pollfd *fds, nfds_t n, struct moment until) {
	struct pollfd all[n + 1];
	struct slot *s = begin(DESCRIPTOR, until, 0, 0);
	if (n) memcpy(all, fds, n * sizeof *fds);
	all[n] = (struct pollfd){s->event, POLLIN, 0};
	int got = next_poll(all, n + 1, -1);
	end(s);
	if (got < 0) return got;
	got = 0;
	for (nfds_t i = 0; i < n; i++) {
		fds[i].revents = all[i].revents;
		got += all[i].revents != 0;
	}
	return got;
}

static int wait_for(struct pollfd *fds, nfds_t n, int64_t ns) {
	find();
	if (!page || ns <= 0) return next_poll(fds, n, ns < 0 ? -1 : page ? 0 : (int)(ns / 1000000));
	return wait_until(fds, n, after(ns));
}

int poll(struct pollfd *fds, nfds_t n, int ms) { return wait_for(fds, n, ms < 0 ? -1 : ms * 1000000LL); }

int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size) {
	(void)size;
	return poll(fds, n, ms);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask) {
	(void)mask;
	return wait_for(fds, n, t ? nanos(t) : -1);
}

static int wait_for_sets(int n, fd_set *r, fd_set *w, fd_set *e, int64_t ns) {
	struct pollfd f[n + 1];
	int k = 0, got, set = 0;
	for (int i = 0; i < n; i++) {
		short events = (r && FD_ISSET(i, r) ? POLLIN : 0) | (w && FD_ISSET(i, w) ? POLLOUT : 0) |
			(e && FD_ISSET(i, e) ? POLLPRI : 0);
		if (events) f[k++] = (struct pollfd){i, events, 0};
	}
	got = wait_for(f, k, ns);
	if (got < 0) return got;
	if (r) FD_ZERO(r);
	if (w) FD_ZERO(w);
	if (e) FD_ZERO(e);
	for (int i = 0; i < k; i++) {
		if (f[i].events & POLLIN && f[i].revents & (POLLIN | POLLHUP | POLLERR)) FD_SET(f[i].fd, r), set++;
		if (f[i].events & POLLOUT && f[i].revents & (POLLOUT | POLLERR)) FD_SET(f[i].fd, w), set++;
	}
	return set;
}

int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t) {
	return wait_for_sets(n, r, w, e, t ? t->tv_sec * 1000000000LL + t->tv_usec * 1000LL : -1);
}

int pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *mask) {
	(void)mask;
	return wait_for_sets(n, r, w, e, t ? nanos(t) : -1);
}

static int wait_for_events(int fd, struct epoll_event *events, int most, int64_t ns, const sigset_t *mask) {
	find();
	if (!page || ns <= 0) return next_epoll_pwait(fd, events, most, ns < 0 ? -1 : (int)(ns / 1000000), mask);
	struct pollfd f = {fd, POLLIN, 0};
	if (wait_for(&f, 1, ns) < 0) return -1;
	return next_epoll_pwait(fd, events, most, 0, mask);
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int ms, const sigset_t *mask) {
	return wait_for_events(fd, events, most, ms < 0 ? -1 : ms * 1000000LL, mask);
}

int epoll_wait(int fd, struct epoll_event *events, int most, int ms) {
	return epoll_pwait(fd, events, most, ms, 0);
}

int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *t, const sigset_t *mask) {
	return wait_for_events(fd, events, most, t ? nanos(t) : -1, mask);
}

// A timer's descriptor is not ready in virtual time.
int timerfd_create(int clock, int flags) {
	if (page) fail("it uses timerfd_create, which virtual time does not have");
	return (int)next_syscall(SYS_timerfd_create, clock, flags);
}

// Sleeps.

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *rest) {
	find();
	if (!page) return next_syscall(SYS_clock_nanosleep, clock, flags, t, rest) == 0 ? 0 : errno;
	struct moment until = flags & TIMER_ABSTIME ? deadline(clock, t) : after(nanos(t));
	if (clock == CLOCK_BOOTTIME) until.awake = 1;
	if (until.at <= now()) return 0;
	return wait_until(0, 0, until) < 0 ? errno : 0;
}

int nanosleep(const struct timespec *t, struct timespec *rest) {
	int e = clock_nanosleep(CLOCK_MONOTONIC, 0, t, rest);
	if (e) errno = e;
	return e ? -1 : 0;
}

int usleep(useconds_t us) {
	struct timespec t = {us / 1000000, us % 1000000 * 1000};
	return nanosleep(&t, 0);
}

unsigned sleep(unsigned s) {
	struct timespec t = {s, 0};
	nanosleep(&t, 0);
	return 0;
}

// Waits for other threads.

static int wait_condition(pthread_cond_t *c, pthread_mutex_t *m, struct moment until) {
	if (until.at <= now()) { // the mutex must be free for a moment, so that another thread can go on
		pthread_mutex_unlock(m);
		pthread_mutex_lock(m);
		return ETIMEDOUT;
	}
	struct slot *s = begin(CONDITION, until, c, m);
	next_cond_wait(c, m);
	return end(s) ? ETIMEDOUT : 0;
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
	find();
	if (!page) {
		int (*f)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *) =
			dlsym(RTLD_NEXT, "pthread_cond_clockwait");
		return f(c, m, clock, t);
	}
	return wait_condition(c, m, deadline(clock, t));
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
	find();
	if (!page) {
		static int (*f)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
		if (!f) f = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
		if (!f) f = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
		return f(c, m, t);
	}
	// The clock is an attribute of the condition. The wall clock shows decades more than the other.
	clockid_t clock = nanos(t) > 100000000000000000LL ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	return wait_condition(c, m, deadline(clock, t));
}

static int wait_semaphore(sem_t *sem, struct moment until) {
	if (sem_trywait(sem) == 0) return 0;
	if (until.at > now()) {
		struct slot *s = begin(SEMAPHORE, until, sem, 0);
		while (next_sem_wait(sem) != 0) {}
		if (!end(s)) return 0;
	}
	errno = ETIMEDOUT;
	return -1;
}

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *t) {
	find();
	if (!page) {
		int (*f)(sem_t *, clockid_t, const struct timespec *) = dlsym(RTLD_NEXT, "sem_clockwait");
		return f(sem, clock, t);
	}
	return wait_semaphore(sem, deadline(clock, t));
}

int sem_timedwait(sem_t *sem, const struct timespec *t) {
	find();
	if (!page) {
		int (*f)(sem_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sem_timedwait");
		return f(sem, t);
	}
	return wait_semaphore(sem, deadline(CLOCK_REALTIME, t));
}

// The system calls that programs make without the C library's function.

static ssize_t draw(void *to, size_t n);

static long futex(long a, long b, long c, long d, long e, long f) {
	int operation = b & FUTEX_CMD_MASK;
	int timed = (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && d;
	if (!timed) return next_syscall(SYS_futex, a, b, c, d, e, f);
	const struct timespec *t = (const struct timespec *)d;
	struct moment until = operation == FUTEX_WAIT ? after(nanos(t))
		: deadline(b & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
	if (until.at <= now()) {
		errno = ETIMEDOUT;
		return -1;
	}
	struct slot *s = begin(FUTEX, until, (void *)a, (void *)(b & FUTEX_PRIVATE_FLAG));
	long r = next_syscall(SYS_futex, a, b, c, 0, e, f);
	int saved = errno;
	if (end(s) && r == 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	errno = saved;
	return r;
}

long syscall(long number, ...) {
	va_list l;
	va_start(l, number);
	long a = va_arg(l, long), b = va_arg(l, long), c = va_arg(l, long), d = va_arg(l, long),
		e = va_arg(l, long), f = va_arg(l, long);
	va_end(l);
	find();
	if (page) {
		switch (number) {
		case SYS_futex:
			return futex(a, b, c, d, e, f);
		case SYS_getrandom:
			return draw((void *)a, b);
		case SYS_clock_gettime:
			return clock_gettime(a, (struct timespec *)b);
		case SYS_nanosleep:
			return nanosleep((const struct timespec *)a, (struct timespec *)b);
		case SYS_clock_nanosleep:
			errno = clock_nanosleep(a, b, (const struct timespec *)c, (struct timespec *)d);
			return errno ? -1 : 0;
		case SYS_ppoll:
			return wait_for((struct pollfd *)a, b, c ? nanos((const struct timespec *)c) : -1);
		case SYS_epoll_pwait:
			return epoll_pwait(a, (struct epoll_event *)b, c, (int)d, (const sigset_t *)e);
#ifdef SYS_poll
		case SYS_poll:
			return poll((struct pollfd *)a, b, (int)c);
		case SYS_epoll_wait:
			return epoll_wait(a, (struct epoll_event *)b, c, (int)d);
#endif
		}
	}
	return next_syscall(number, a, b, c, d, e, f);
}

// Random bytes.

static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;
static uint64_t series;
static int32_t series_run = -1;

static ssize_t draw(void *to, size_t n) {
	unsigned char *p = to;
	pthread_mutex_lock(&drawing);
	if (series_run != atomic_load(&page->run)) {
		series_run = atomic_load(&page->run);
		series = page->seed * 2 + 1;
	}
	for (size_t i = 0; i < n; i++) { // splitmix64, a byte of each
		uint64_t z = series += 0x9e3779b97f4a7c15;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		p[i] = z >> 56;
	}
	pthread_mutex_unlock(&drawing);
	return n;
}

ssize_t getrandom(void *to, size_t n, unsigned flags) {
	find();
	return page ? draw(to, n) : next_syscall(SYS_getrandom, to, n, flags);
}

int getentropy(void *to, size_t n) { return getrandom(to, n, 0) == (ssize_t)n ? 0 : -1; }

uint32_t arc4random(void) {
	uint32_t v;
	getrandom(&v, sizeof v, 0);
	return v;
}

void arc4random_buf(void *to, size_t n) { getrandom(to, n, 0); }

uint32_t arc4random_uniform(uint32_t n) { return n ? arc4random() % n : 0; }

// OpenSSL's random numbers depend on it.
pid_t getpid(void) {
	pid_t own = (pid_t)syscall(SYS_getpid);
	return page && own == atomic_load(&page->owner) ? 1000 : own;
}

static int is_random(const char *path) {
	return page && path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

// random_file returns a descriptor with a megabyte of the series.
static int random_file(void) {
	static char bytes[1 << 20];
	int fd = memfd_create("random", MFD_CLOEXEC);
	draw(bytes, sizeof bytes);
	if (fd >= 0 && write(fd, bytes, sizeof bytes) == sizeof bytes) lseek(fd, 0, SEEK_SET);
	return fd;
}

int open(const char *path, int flags, ...) {
	find();
	va_list l;
	va_start(l, flags);
	mode_t mode = va_arg(l, int);
	va_end(l);
	return is_random(path) ? random_file() : next_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
	va_list l;
	va_start(l, flags);
	mode_t mode = va_arg(l, int);
	va_end(l);
	return open(path, flags | O_LARGEFILE, mode);
}

int openat(int dir, const char *path, int flags, ...) {
	find();
	va_list l;
	va_start(l, flags);
	mode_t mode = va_arg(l, int);
	va_end(l);
	return is_random(path) ? random_file() : next_openat(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...) {
	va_list l;
	va_start(l, flags);
	mode_t mode = va_arg(l, int);
	va_end(l);
	return openat(dir, path, flags | O_LARGEFILE, mode);
}

FILE *fopen(const char *path, const char *mode) {
	find();
	return is_random(path) ? fdopen(random_file(), mode) : next_fopen(path, mode);
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

// Connections.

// port_of returns the port of a local address, or 0.
static int port_of(const struct sockaddr *a, socklen_t n) {
	if (a->sa_family == AF_INET && n >= sizeof(struct sockaddr_in)) {
		const struct sockaddr_in *in = (const void *)a;
		return ntohl(in->sin_addr.s_addr) >> 24 == 127 ? ntohs(in->sin_port) : 0;
	}
	if (a->sa_family == AF_INET6 && n >= sizeof(struct sockaddr_in6)) {
		const struct sockaddr_in6 *in = (const void *)a;
		int local = IN6_IS_ADDR_LOOPBACK(&in->sin6_addr) || IN6_IS_ADDR_V4MAPPED(&in->sin6_addr);
		return local ? ntohs(in->sin6_port) : 0;
	}
	return 0;
}

// hand_over sends the stepper an end of a connection to a port.
static int hand_over(int fd, int port) {
	char room[CMSG_SPACE(sizeof fd)] = {0};
	struct iovec text = {&port, sizeof port};
	struct msghdr m = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	return sendmsg(control, &m, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t size) {
	find();
	if (!page || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
		return next_connect(fd, address, size);
	int port = port_of(address, size), kind = 0;
	socklen_t n = sizeof kind;
	next_getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &n);
	if (kind != SOCK_STREAM) return next_connect(fd, address, size); // it only looks for its own address
	if (port < page->first || port >= page->first + page->servers || fd >= DESCRIPTORS) {
		fail("it connects to port %d, where no server of this run is", port);
		errno = ECONNREFUSED;
		return -1;
	}
	int pair[2], flags = fcntl(fd, F_GETFL), close_on_exec = fcntl(fd, F_GETFD);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
	if (hand_over(pair[1], port) != 0 || dup2(pair[0], fd) < 0) {
		next_close(pair[0]);
		next_close(pair[1]);
		errno = ECONNREFUSED;
		return -1;
	}
	next_close(pair[0]);
	next_close(pair[1]);
	fcntl(fd, F_SETFL, flags);
	fcntl(fd, F_SETFD, close_on_exec);
	atomic_store(&about[fd].port, port);
	atomic_store(&about[fd].ours, 1);
	return 0;
}

static int is_ours(int fd) { return page && fd >= 0 && fd < DESCRIPTORS && atomic_load(&about[fd].ours); }

int close(int fd) {
	find();
	if (fd >= 0 && fd < DESCRIPTORS) {
		atomic_store(&about[fd].ours, 0);
		atomic_store(&about[fd].patience, 0);
	}
	return next_close(fd);
}

static int address_of(int port, struct sockaddr *a, socklen_t *n) {
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	memcpy(a, &in, *n < sizeof in ? *n : sizeof in);
	*n = sizeof in;
	return 0;
}

int getpeername(int fd, struct sockaddr *a, socklen_t *n) {
	find();
	return is_ours(fd) ? address_of(about[fd].port, a, n) : next_getpeername(fd, a, n);
}

int getsockname(int fd, struct sockaddr *a, socklen_t *n) {
	find();
	return is_ours(fd) ? address_of(40000 + fd % 20000, a, n) : next_getsockname(fd, a, n);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t n) {
	find();
	if (page && level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO) && fd < DESCRIPTORS) {
		const struct timeval *t = value;
		if (name == SO_RCVTIMEO) atomic_store(&about[fd].patience, t->tv_sec * 1000000000LL + t->tv_usec * 1000LL);
		return 0;
	}
	if (is_ours(fd) && level != SOL_SOCKET) return 0;
	return next_setsockopt(fd, level, name, value, n);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *n) {
	find();
	if (is_ours(fd) && level != SOL_SOCKET) {
		memset(value, 0, *n);
		return 0;
	}
	return next_getsockopt(fd, level, name, value, n);
}

// waited reports whether a read may go on: something has come before the time-out of the socket.
static int waited(int fd, int flags) {
	find();
	int64_t ns = page && fd >= 0 && fd < DESCRIPTORS ? atomic_load(&about[fd].patience) : 0;
	if (ns <= 0 || flags & MSG_DONTWAIT || fcntl(fd, F_GETFL) & O_NONBLOCK) return 1;
	struct pollfd f = {fd, POLLIN, 0};
	if (wait_for(&f, 1, ns) != 0) return 1;
	errno = EAGAIN;
	return 0;
}

ssize_t read(int fd, void *b, size_t n) { return waited(fd, 0) ? next_read(fd, b, n) : -1; }

ssize_t readv(int fd, const struct iovec *v, int n) { return waited(fd, 0) ? next_readv(fd, v, n) : -1; }

ssize_t recv(int fd, void *b, size_t n, int flags) { return waited(fd, flags) ? next_recv(fd, b, n, flags) : -1; }

ssize_t recvfrom(int fd, void *b, size_t n, int flags, struct sockaddr *a, socklen_t *l) {
	return waited(fd, flags) ? next_recvfrom(fd, b, n, flags, a, l) : -1;
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags) { return waited(fd, flags) ? next_recvmsg(fd, m, flags) : -1; }
