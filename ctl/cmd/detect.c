// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl detect: let the nodes test their links, and print the links that were newly found silent.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"

static int detect(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct nl_detect d;
	uint32_t timeout = 0, i;
	struct arg args[] = {
		{ "timeout", arg_count, &timeout },
		{}
	};
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv) ?: nl_detect(h, fabric, timeout, &d);
	if (rc)
		return rc;
	out_object(h, NULL);
	out_str(h, "fabric", "%s:", fabric);
	out_uint(h, "found", d.found == 1 ? " %" PRIu64 " more link is silent" :
					    " %" PRIu64 " more links are silent", d.found);
	out_array(h, "links");
	for (i = 0; i < d.nlinks; i++)
		cmd_out_link(h, NULL, i ? "," : ": ", d.links[i]);
	out_close(h);
	out_text(h, "\n");
	out_close(h);
	free(d.links);
	return HC_OK;
}

const struct hc_cmd detect_cmds[] = {
	{ NULL, detect, "NAME [timeout MS]" },
	{}
};
