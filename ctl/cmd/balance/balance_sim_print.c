// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance simulate: results as a table, as JSON and as CSV.
 */
#include <inttypes.h>

#include "balance_sim.h"

const char * const sim_charges[] = {
	[HC_SIM_LOCAL] = "local", [HC_SIM_PHASE] = "phase", NULL
};

const char * const sim_taus[] = { [HC_SIM_TASK] = "task", [HC_SIM_NODE] = "node", NULL };

const char * const sim_picks[] = {
	[HC_SIM_NEWEST] = "newest", [HC_SIM_OLDEST] = "oldest", NULL
};

static void out_setting(struct hcctl *h, const struct sim_study *st)
{
	const struct hc_sim *s = &st->s;

	out_uint(h, "dim", "dim %" PRIu64, s->dim);
	out_uint(h, "runs", " runs %" PRIu64, st->runs);
	out_uint(h, "seed", " seed %" PRIu64, s->seed);
	out_uint(h, "tasks", " tasks %" PRIu64, s->tasks);
	out_uint(h, "threshold", " threshold %" PRIu64, s->threshold);
	out_real(h, "interval", " interval %g", s->interval);
	out_real(h, "hop_cost", " hop-cost %g", s->hop);
	out_real(h, "info_cost", " info-cost %g", s->info);
	out_str(h, "charge", " charge %s", sim_charges[s->charge]);
	out_str(h, "tau", " tau %s", sim_taus[s->tau]);
	out_str(h, "pick", " pick %s", sim_picks[s->pick]);
	out_str(h, "topology", " topology %s\n", balance_shapes[s->shape]);
}

/* Print a table as text: for each number of faults a line with the speedups of all methods and
 * their bound, or with the hops.
 */
static void text_table(struct hcctl *h, const struct sim_study *st, bool hops)
{
	uint32_t f;
	size_t m;

	out_text(h, "\n%s\nfaults", hops ? "hops for each node" : "speedup");
	for (m = 0; m < st->nmethods; m++)
		out_text(h, "  %-14s", hc_balance_names[st->methods[m]]);
	out_text(h, "%s\n", hops ? "" : "  bound");
	for (f = st->first; f <= st->last; f++) {
		out_text(h, "%6u", f);
		for (m = 0; m < st->nmethods; m++) {
			const struct sim_point *p = &st->point[(f - st->first) * st->nmethods + m];
			const struct hc_mean *v = hops ? &p->hops : &p->speedup;

			out_text(h, hops ? "  %6.1f +-%5.1f" : "  %6.3f +-%5.3f", v->mean, v->ci95);
		}
		if (!hops)
			out_text(h, "  %6.3f", st->bound[f - st->first].mean);
		out_text(h, "\n");
	}
}

static void json_row(struct hcctl *h, const struct sim_study *st, uint32_t f, size_t m)
{
	const struct sim_point *p = &st->point[(f - st->first) * st->nmethods + m];

	out_object(h, NULL);
	out_uint(h, "faults", NULL, f);
	out_str(h, "method", NULL, hc_balance_names[st->methods[m]]);
	out_real(h, "speedup", NULL, p->speedup.mean);
	out_real(h, "speedup_ci95", NULL, p->speedup.ci95);
	out_real(h, "hops", NULL, p->hops.mean);
	out_real(h, "hops_ci95", NULL, p->hops.ci95);
	out_real(h, "rounds", NULL, p->rounds.mean);
	out_real(h, "bound", NULL, st->bound[f - st->first].mean);
	out_close(h);
}

void sim_out(struct hcctl *h, const struct sim_study *st)
{
	uint32_t f;
	size_t m;

	out_object(h, NULL);
	out_setting(h, st);
	if (h->json) {
		out_array(h, "rows");
		for (f = st->first; f <= st->last; f++)
			for (m = 0; m < st->nmethods; m++)
				json_row(h, st, f, m);
		out_close(h);
	} else {
		text_table(h, st, false);
		text_table(h, st, true);
	}
	out_close(h);
}

void sim_csv_print(FILE *f, const struct sim_study *st)
{
	uint32_t n;
	size_t m;

	fputs("dim,faults,method,runs,speedup,speedup_ci95,hops,hops_ci95,rounds,bound\n", f);
	for (n = st->first; n <= st->last; n++)
		for (m = 0; m < st->nmethods; m++) {
			const struct sim_point *p = &st->point[(n - st->first) * st->nmethods + m];

			fprintf(f, "%u,%u,%s,%u,%.6f,%.6f,%.4f,%.4f,%.2f,%.6f\n", st->s.dim, n,
				hc_balance_names[st->methods[m]], st->runs, p->speedup.mean,
				p->speedup.ci95, p->hops.mean, p->hops.ci95, p->rounds.mean,
				st->bound[n - st->first].mean);
		}
}
