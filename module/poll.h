/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_POLL_H
#define _HC_POLL_H

/**
 * hc_poll_init() - let nodes that are created from now on have the poll of poll.c
 *
 * Context: the module's init
 */
void hc_poll_init(void);

#endif /* _HC_POLL_H */
