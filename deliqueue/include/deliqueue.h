/* The C interface of deliqueue, made by cbindgen from src/ffi.rs: see the top of that file for the rules. */

#ifndef DELIQUEUE_H
#define DELIQUEUE_H

#include <stddef.h>
#include <stdint.h>

/*
 All went well.
 */
#define DELIQUEUE_OK 0

/*
 The queue has quit.
 */
#define DELIQUEUE_QUIT 1

/*
 A pointer is null.
 */
#define DELIQUEUE_NULL 2

/*
 The library has a bug.
 */
#define DELIQUEUE_PANIC 3

/*
 The end that runs. One thread at a time may use it.
 */
typedef struct DeliqueueReceiver DeliqueueReceiver;

/*
 The end that posts and removes. Any number of threads may use one at once.
 */
typedef struct DeliqueueSender DeliqueueSender;

/*
 Frees a payload. May be null, and then nothing is done.
 */
typedef void (*DeliqueueFree)(void *payload);

/*
 A message.
 */
typedef struct {
  /*
   What it carries.
   */
  void *payload;
  /*
   What frees it, if the queue has to.
   */
  DeliqueueFree free;
  /*
   When it is due, in nanoseconds of `deliqueue_now`; 0 is the front of the queue.
   */
  uint64_t when;
  /*
   Whom it is for.
   */
  uint64_t target;
  /*
   The mark by which it is found again.
   */
  uint64_t token;
  /*
   What it is about.
   */
  int32_t what;
  /*
   Not 0 if barriers let it pass.
   */
  int32_t asynchronous;
} DeliqueueMessage;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the library, as text that lives for ever.
 */
const char *deliqueue_version(void);

/*
 Makes a queue: its two ends, each to be destroyed by its function.

 # Safety
 Both places may be written.
 */
int32_t deliqueue_new(DeliqueueSender **sender, DeliqueueReceiver **receiver);

/*
 The time, in nanoseconds of the clock that `when` is in. 0 if the sender is null.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed.
 */
uint64_t deliqueue_now(const DeliqueueSender *sender);

/*
 Posts a message. If it is taken, the queue owns the payload; if not, the caller still does.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed; the message is null or can be read. The payload and the
 function that frees it can be used from any thread.
 */
int32_t deliqueue_post(const DeliqueueSender *sender,
                       const DeliqueueMessage *message);

/*
 Removes messages and frees their payloads; how many they were. `target`, `what` and `token` are null for any.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed; the others are null or can be read.
 */
uintptr_t deliqueue_remove(const DeliqueueSender *sender,
                           const uint64_t *target,
                           const int32_t *what,
                           const uint64_t *token);

/*
 How many messages wait.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed.
 */
uintptr_t deliqueue_length(const DeliqueueSender *sender);

/*
 Posts a barrier and writes its number; what is due after it and not asynchronous is held back.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed; the place is null or can be written.
 */
int32_t deliqueue_post_barrier(const DeliqueueSender *sender, uint64_t *barrier);

/*
 Removes a barrier; not 0 if it was there.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed.
 */
int32_t deliqueue_remove_barrier(const DeliqueueSender *sender, uint64_t barrier);

/*
 No more posts. If `safely` is not 0, what is due now is run still.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed.
 */
void deliqueue_quit(const DeliqueueSender *sender, int32_t safely);

/*
 Waits for the next message and writes it; its payload is the caller's from then on. `DELIQUEUE_QUIT` at the end.

 # Safety
 The receiver is null, or of `deliqueue_new`, not destroyed, and used by no other thread at this time; the place is null or
 can be written.
 */
int32_t deliqueue_next(DeliqueueReceiver *receiver,
                       DeliqueueMessage *message);

/*
 Another sender of the same queue, to be destroyed as well. Null if it is given null.

 # Safety
 The sender is null, or of `deliqueue_new` and not destroyed.
 */
DeliqueueSender *deliqueue_clone_sender(const DeliqueueSender *sender);

/*
 Destroys a sender. The queue goes on.

 # Safety
 The sender is null, or of `deliqueue_new` or `deliqueue_clone_sender` and not used any more.
 */
void deliqueue_free_sender(DeliqueueSender *sender);

/*
 Destroys a receiver: the queue ends, and the payloads of what waits are freed.

 # Safety
 The receiver is null, or of `deliqueue_new` and not used any more.
 */
void deliqueue_free_receiver(DeliqueueReceiver *receiver);

/*
 Milliseconds as the nanoseconds of `when`, for callers' arithmetic.
 */
uint64_t deliqueue_millis(uint64_t millis);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DELIQUEUE_H */
