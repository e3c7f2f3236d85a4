/* Threads that block signals, so that the starting thread receives them. */
#ifndef PF_BASE_THREAD_H
#define PF_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Runs `run(arg)` in a new thread with all signals blocked; the caller joins *thread. False: no
 * thread could be started. */
bool pf_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
