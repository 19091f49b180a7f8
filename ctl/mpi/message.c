// SPDX-License-Identifier: GPL-2.0
/*
 * Messages between the processes of a job, over the point-to-point layer of Open MPI, which faults
 * of a fabric do not affect. One receive is posted at any time; MPI's progress function processes
 * the messages.
 */
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/pml/pml.h"

/* A tag that no collective of Open MPI 4.1 uses. */
#define TAG (MCA_COLL_BASE_TAG_HCOLL_BASE - 4711)

/* Longest time, s, for which hcm_message_end() waits for messages. */
#define WAIT_SECONDS 2

/**
 * struct packet - a message in memory
 * @head: its head
 * @data: @head.len bytes of data
 */
struct packet {
	struct hcm_message head;
	char data[];
};

/**
 * struct sent - a message that is being sent
 * @next: next one in the list
 * @request: Open MPI's request
 * @packet: the message
 */
struct sent {
	struct sent *next;
	ompi_request_t *request;
	struct packet *packet;
};

static struct packet *inbox;
static ompi_request_t *receive;
static struct sent *sends;

static int post_receive(void)
{
	return MCA_PML_CALL(irecv(inbox, sizeof(*inbox) + HCM_CHUNK, MPI_BYTE, MPI_ANY_SOURCE, TAG,
				  &ompi_mpi_comm_world.comm, &receive));
}

bool hcm_message_listen(void)
{
	if (receive)
		return true;
	inbox = inbox ?: malloc(sizeof(*inbox) + HCM_CHUNK);
	if (!inbox || post_receive() != OMPI_SUCCESS)
		receive = NULL;
	return receive;
}

int hcm_message_send(int rank, const struct hcm_message *head, const void *data)
{
	struct packet *p = malloc(sizeof(*p) + head->len);
	struct sent *s = malloc(sizeof(*s));

	if (!p || !s)
		goto nomem;
	p->head = *head;
	if (head->len)
		memcpy(p->data, data, head->len);
	s->packet = p;
	if (MCA_PML_CALL(isend(p, sizeof(*p) + head->len, MPI_BYTE, rank, TAG,
			       MCA_PML_BASE_SEND_STANDARD, &ompi_mpi_comm_world.comm,
			       &s->request)) != OMPI_SUCCESS)
		goto nomem;
	s->next = sends;
	sends = s;
	return 0;
nomem:
	free(p);
	free(s);
	return -ENOMEM;
}

bool hcm_message_waits(void)
{
	return (receive && REQUEST_COMPLETE(receive)) || sends;
}

static void sends_progress(void)
{
	struct sent **p = &sends, *s;

	while (*p) {
		s = *p;
		if (!REQUEST_COMPLETE(s->request)) {
			p = &s->next;
			continue;
		}
		*p = s->next;
		ompi_request_free(&s->request);
		free(s->packet);
		free(s);
	}
}

void hcm_message_progress(void)
{
	size_t got;

	sends_progress();
	while (receive && REQUEST_COMPLETE(receive)) {
		got = receive->req_status._ucount;
		ompi_request_free(&receive);
		receive = NULL;
		if (got >= sizeof(*inbox) && inbox->head.len == got - sizeof(*inbox))
			hcm_fall_message(&inbox->head, inbox->data);
		if (post_receive() != OMPI_SUCCESS)
			receive = NULL;
	}
}

static bool is_late(uint64_t began)
{
	return hcm_now_ns() - began > WAIT_SECONDS * UINT64_C(1000000000);
}

/* Stop receiving. No process needs a further message, since all have called MPI_Finalize(). */
void hcm_message_end(void)
{
	ompi_request_t *last = receive;
	uint64_t began = hcm_now_ns();

	if (!last)
		return;
	while (sends && !is_late(began)) {
		opal_progress();
		sends_progress();
	}
	/* Clear @receive, so that hcm_message_progress() does not use the request. opal_progress()
	 * may have posted another receive, so read @receive again.
	 */
	last = receive;
	receive = NULL;
	ompi_request_cancel(last);
	while (!REQUEST_COMPLETE(last) && !is_late(began))
		opal_progress();
	if (!REQUEST_COMPLETE(last))
		return;
	ompi_request_free(&last);
	free(inbox);
	inbox = NULL;
}
