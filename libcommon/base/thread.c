#include "base/thread.h"

#include <signal.h>

bool pf_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    /* a thread has the mask of who makes it: set afterwards it would come late */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}
