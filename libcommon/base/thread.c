#include "base/thread.h"

#include <signal.h>

bool pf_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a thread has the mask of who makes it: set afterwards it would come late */
    failed = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}
