/*
 * Counts the steps of a process that last: what is synced, renamed or removed, and what is sent to a model.
 *
 * Preloaded (LD_PRELOAD) into the binary under test, it wraps the C library's fsync, fdatasync, rename and unlink with their
 * kin, and what writes to sockets. A write to a socket is a step when it begins with `POST `, which is a call of a model. Each step
 * has a number, from 1. What has no number is passed on untouched, so a process without any of the variables below is as it was.
 *
 *   STEPS_LOG=FILE            appends two lines for each step, fields parted by tabs:
 *                             `+ NUMBER KIND PATH [NEW PATH]` before it, `- NUMBER KIND ok|ERRNO` behind it
 *   STEPS_KILL_AT=N           the process is killed right before step N
 *   STEPS_KILL_AFTER=N        the process is killed right behind step N
 *   STEPS_FAIL_AT=N           step N fails with STEPS_ERRNO (ENOSPC, EIO, EROFS), and is not made
 *   STEPS_FAIL_FROM=N         every step from N on fails
 *   STEPS_ONLY=KIND           only steps of this kind have a number: sync, rename, unlink or send
 *   STEPS_UNDER=FOLDER        only what lies below this folder has a number; sends have none then
 *   STEPS_ROOM=BYTES          regular files below STEPS_UNDER take so many bytes in all, then ENOSPC
 *   STEPS_READ_ONLY=FOLDER    nothing below this folder can be made, opened for writing, renamed or removed: EROFS
 *   STEPS_CLOCK_OFFSET=S      the time of day is S seconds later
 *
 * Killing is SIGKILL: no handler, no destructor, no buffer that is still written. System calls made without the C library are
 * not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SYNC = 1, RENAME = 2, UNLINK = 4, SEND = 8, EVERY = 15 };

static atomic_long steps;
static long kill_at, kill_after, fail_at, fail_from, clock_offset;
static atomic_long room = -1;
static int fail_errno = EIO, kinds = EVERY, log_file = -1;
static const char *under, *read_only;

/* The real function behind the one that is wrapped. */
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static long number_of(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value && *value ? strtol(value, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    kill_at = number_of("STEPS_KILL_AT", 0);
    kill_after = number_of("STEPS_KILL_AFTER", 0);
    fail_at = number_of("STEPS_FAIL_AT", 0);
    fail_from = number_of("STEPS_FAIL_FROM", 0);
    clock_offset = number_of("STEPS_CLOCK_OFFSET", 0);
    room = number_of("STEPS_ROOM", -1);
    under = getenv("STEPS_UNDER");
    read_only = getenv("STEPS_READ_ONLY");
    const char *error = getenv("STEPS_ERRNO");
    if (error && !strcmp(error, "ENOSPC")) fail_errno = ENOSPC;
    if (error && !strcmp(error, "EROFS")) fail_errno = EROFS;
    const char *only = getenv("STEPS_ONLY");
    if (only && !strcmp(only, "sync")) kinds = SYNC;
    if (only && !strcmp(only, "rename")) kinds = RENAME;
    if (only && !strcmp(only, "unlink")) kinds = UNLINK;
    if (only && !strcmp(only, "send")) kinds = SEND;
    const char *log = getenv("STEPS_LOG");
    if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* One line, in one write, so that lines of threads do not mix. */
static void tell(const char *format, ...) {
    if (log_file < 0) return;
    char line[2 * PATH_MAX + 64];
    va_list rest;
    va_start(rest, format);
    int length = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    if (length > 0) syscall(SYS_write, log_file, line, (size_t)length);
}

static int is_below(const char *folder, const char *path) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (path[length] == '/' || path[length] == 0);
}

/* The path of an open file. */
static void path_of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

/* A name with the folder it stands in resolved, as the kernel says the paths of open files. */
static void resolve(int folder, const char *name, char *path) {
    char given[2 * PATH_MAX], parent[PATH_MAX];
    if (name[0] == '/') {
        snprintf(given, sizeof given, "%s", name);
    } else {
        if (folder == AT_FDCWD) {
            if (!getcwd(parent, sizeof parent)) parent[0] = 0;
        } else {
            path_of(folder, parent);
        }
        snprintf(given, sizeof given, "%s/%s", parent, name);
    }
    char *last = strrchr(given, '/');
    *last = 0;
    if (!realpath(*given ? given : "/", parent)) snprintf(parent, sizeof parent, "%.*s", PATH_MAX - 1, given);
    int length = snprintf(path, PATH_MAX, "%s/%s", !strcmp(parent, "/") ? "" : parent, last + 1);
    if (length >= PATH_MAX) path[PATH_MAX - 1] = 0;
}

/* The number of a step that is about to be made; 0 when it has none, below 0 when it fails. */
static long step(int kind, const char *name, const char *path, const char *other) {
    if (!(kinds & kind)) return 0;
    if (under && (kind == SEND || !is_below(under, path))) return 0;
    long number = atomic_fetch_add(&steps, 1) + 1;
    tell("+\t%ld\t%s\t%s%s%s\n", number, name, path, other ? "\t" : "", other ? other : "");
    if (number == kill_at) die();
    if (number == fail_at || (fail_from && number >= fail_from)) {
        tell("-\t%ld\t%s\t%d\n", number, name, fail_errno);
        errno = fail_errno;
        return -number;
    }
    return number;
}

static long done(long number, const char *name, long result) {
    int error = errno;
    if (number > 0) {
        if (result < 0) tell("-\t%ld\t%s\t%d\n", number, name, error);
        else tell("-\t%ld\t%s\tok\n", number, name);
        if (number == kill_after) die();
    }
    errno = error;
    return result;
}

static int is_barred(const char *path) {
    if (!read_only || !is_below(read_only, path)) return 0;
    errno = EROFS;
    return 1;
}

/* Syncing. */

int fsync(int file) {
    NEXT(fsync);
    char path[PATH_MAX];
    path_of(file, path);
    long number = step(SYNC, "fsync", path, NULL);
    return number < 0 ? -1 : (int)done(number, "fsync", next(file));
}

int fdatasync(int file) {
    NEXT(fdatasync);
    char path[PATH_MAX];
    path_of(file, path);
    long number = step(SYNC, "fdatasync", path, NULL);
    return number < 0 ? -1 : (int)done(number, "fdatasync", next(file));
}

/* Renaming and removing. */

static int move(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char old[PATH_MAX], new[PATH_MAX];
    resolve(from_folder, from, old);
    resolve(to_folder, to, new);
    if (is_barred(old) || is_barred(new)) return -1;
    long number = step(RENAME, "rename", old, new);
    if (number < 0) return -1;
    return (int)done(number, "rename", syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int rename(const char *from, const char *to) { return move(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return move(from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return move(from_folder, from, to_folder, to, flags);
}

static int take_away(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    resolve(folder, name, path);
    if (is_barred(path)) return -1;
    long number = step(UNLINK, "unlink", path, NULL);
    if (number < 0) return -1;
    return (int)done(number, "unlink", syscall(SYS_unlinkat, folder, name, flags));
}

int unlink(const char *name) { return take_away(AT_FDCWD, name, 0); }

int unlinkat(int folder, const char *name, int flags) { return take_away(folder, name, flags); }

/* Making and opening, for folders that are read-only. */

static int is_barred_open(int folder, const char *name, int flags) {
    if (!read_only || !((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))) return 0;
    char path[PATH_MAX];
    resolve(folder, name, path);
    return is_barred(path);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = (mode_t)va_arg(rest, int); \
        va_end(rest); \
    }

int open(const char *name, int flags, ...) {
    MODE(flags)
    if (is_barred_open(AT_FDCWD, name, flags)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    MODE(flags)
    if (is_barred_open(AT_FDCWD, name, flags)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, name, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags)
    if (is_barred_open(folder, name, flags)) return -1;
    return (int)syscall(SYS_openat, folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags)
    if (is_barred_open(folder, name, flags)) return -1;
    return (int)syscall(SYS_openat, folder, name, flags | O_LARGEFILE, mode);
}

int mkdir(const char *name, mode_t mode) {
    NEXT(mkdir);
    if (read_only) {
        char path[PATH_MAX];
        struct stat there;
        resolve(AT_FDCWD, name, path);
        /* A folder that is there is said to be there, also where nothing can be made. */
        if (stat(path, &there) && is_barred(path)) return -1;
    }
    return next(name, mode);
}

/* Writing: to sockets, and to a disk that becomes full. */

static int is_post(int file, const void *bytes, size_t length) {
    if (!(kinds & SEND) || under || length < 5 || memcmp(bytes, "POST ", 5)) return 0;
    struct stat what;
    return !fstat(file, &what) && S_ISSOCK(what.st_mode);
}

/* Whether a file below the folder still takes so many bytes. */
static int has_room(int file, size_t length) {
    if (room < 0) return 1;
    struct stat what;
    char path[PATH_MAX];
    if (fstat(file, &what) || !S_ISREG(what.st_mode)) return 1;
    path_of(file, path);
    if (under && !is_below(under, path)) return 1;
    if (atomic_fetch_sub(&room, (long)length) >= (long)length) return 1;
    /* A full disk stays full. */
    room = 0;
    errno = ENOSPC;
    return 0;
}

static size_t sum(const struct iovec *parts, int count) {
    size_t length = 0;
    for (int part = 0; part < count; part++) length += parts[part].iov_len;
    return length;
}

/* One wrapped function that writes: `first` and `size` are its first bytes. */
#define WRITES(name, file, first, size, length, call) \
    NEXT(name); \
    if (!has_room(file, length)) return -1; \
    if (!is_post(file, first, size)) return call; \
    char path[PATH_MAX]; \
    path_of(file, path); \
    long number = step(SEND, "send", path, NULL); \
    return number < 0 ? -1 : done(number, "send", call)

ssize_t write(int file, const void *bytes, size_t length) {
    WRITES(write, file, bytes, length, length, next(file, bytes, length));
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t place) {
    NEXT(pwrite);
    return has_room(file, length) ? next(file, bytes, length, place) : -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t place) {
    NEXT(pwrite64);
    return has_room(file, length) ? next(file, bytes, length, place) : -1;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    size_t length = sum(parts, count);
    WRITES(writev, file, count ? parts->iov_base : NULL, count ? parts->iov_len : 0, length, next(file, parts, count));
}

ssize_t send(int file, const void *bytes, size_t length, int flags) {
    WRITES(send, file, bytes, length, 0, next(file, bytes, length, flags));
}

ssize_t sendto(int file, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
    WRITES(sendto, file, bytes, length, 0, next(file, bytes, length, flags, to, size));
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    const struct iovec *parts = message->msg_iovlen ? message->msg_iov : NULL;
    WRITES(sendmsg, file, parts ? parts->iov_base : NULL, parts ? parts->iov_len : 0, 0, next(file, message, flags));
}

/* The time of day. */

int clock_gettime(clockid_t clock, struct timespec *now) {
    NEXT(clock_gettime);
    int result = next(clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += clock_offset;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    NEXT(gettimeofday);
    int result = next(now, zone);
    if (!result) now->tv_sec += clock_offset;
    return result;
}

time_t time(time_t *now) {
    NEXT(time);
    time_t result = next(NULL) + clock_offset;
    if (now) *now = result;
    return result;
}
