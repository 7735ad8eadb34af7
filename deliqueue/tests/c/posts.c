/* Four threads post and remove, one runs; each payload is freed once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/deliqueue.h"

enum { THREADS = 4, EACH = 10000 };

static atomic_int freed;

static void release(void *payload) {
    free(payload);
    atomic_fetch_add(&freed, 1);
}

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static void *post(void *argument) {
    DeliqueueSender *sender = argument;
    for (int index = 0; index < EACH; index++) {
        int *payload = malloc(sizeof *payload);
        CHECK(payload != NULL);
        *payload = index;
        DeliqueueMessage message = {.payload = payload, .free = release, .what = index % 3};
        /* Every third one is for later, and is removed. */
        message.when = deliqueue_now(sender) + (index % 3 == 2 ? deliqueue_millis(3600000) : 0);
        CHECK(deliqueue_post(sender, &message) == DELIQUEUE_OK);
    }
    int32_t what = 2;
    deliqueue_remove(sender, NULL, &what, NULL);
    deliqueue_free_sender(sender);
    return NULL;
}

int main(void) {
    DeliqueueSender *sender = NULL;
    DeliqueueReceiver *receiver = NULL;
    CHECK(strlen(deliqueue_version()) > 0);
    CHECK(deliqueue_new(NULL, &receiver) == DELIQUEUE_NULL);
    CHECK(deliqueue_new(&sender, &receiver) == DELIQUEUE_OK);
    CHECK(deliqueue_post(sender, NULL) == DELIQUEUE_NULL);

    pthread_t threads[THREADS];
    for (int index = 0; index < THREADS; index++) {
        CHECK(pthread_create(&threads[index], NULL, post, deliqueue_clone_sender(sender)) == 0);
    }
    int run = 0;
    int wanted = THREADS * (EACH - EACH / 3);
    DeliqueueMessage message;
    while (run < wanted) {
        CHECK(deliqueue_next(receiver, &message) == DELIQUEUE_OK);
        CHECK(message.what != 2);
        CHECK(*(int *)message.payload % 3 == message.what);
        message.free(message.payload);
        run++;
    }
    for (int index = 0; index < THREADS; index++) {
        CHECK(pthread_join(threads[index], NULL) == 0);
    }
    CHECK(deliqueue_length(sender) == 0);
    CHECK(atomic_load(&freed) == THREADS * EACH);

    uint64_t barrier = 0;
    CHECK(deliqueue_post_barrier(sender, &barrier) == DELIQUEUE_OK);
    CHECK(deliqueue_remove_barrier(sender, barrier) && !deliqueue_remove_barrier(sender, barrier));
    deliqueue_quit(sender, 1);
    CHECK(deliqueue_next(receiver, &message) == DELIQUEUE_QUIT);
    CHECK(deliqueue_post(sender, &message) == DELIQUEUE_QUIT);
    deliqueue_free_receiver(receiver);
    deliqueue_free_sender(sender);
    puts("ok");
    return 0;
}
