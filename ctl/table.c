// SPDX-License-Identifier: GPL-2.0
/*
 * Tables. Text that is printed between out_table() and out_table_end() is stored, cell by cell,
 * until the width of each column is known. The width of a column is that of its longest cell; the
 * header does not count. Columns are two blanks apart, so that programs can distinguish the gap
 * from a blank in a cell. An empty cell is printed as a dash.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hcctl.h"
#include "memory.h"
#include "out.h"

#define ROWS_MORE 64

/* Offsets in out_table.text at which the text of a cell begins and ends. Both are 0 if the cell is
 * empty.
 */
struct cell {
	size_t begin;
	size_t end;
};

struct out_table {
	const struct out_column *columns;
	unsigned int n;		/* number of columns */
	FILE *f;		/* stream that appends to @text */
	char *text;		/* the text of all cells */
	size_t size;
	struct cell *cells;	/* the cells, row by row */
	size_t rows;
	size_t room;		/* number of rows that @cells has memory for */
	struct cell *at;	/* the cell that is being filled, or NULL */
	bool lost;		/* a row was lost, because memory ran out */
};

void out_table(struct hcctl *h, const struct out_column *columns)
{
	struct out_table *t;

	if (h->json)
		return;
	t = calloc(1, sizeof(*t));
	if (t)
		t->f = open_memstream(&t->text, &t->size);
	if (!t || !t->f) {
		/* If there is no memory for the table, text is printed at once, without columns. */
		free(t);
		return;
	}
	t->columns = columns;
	while (columns[t->n].name)
		t->n++;
	h->table = t;
}

FILE *out_stream(const struct hcctl *h)
{
	return h->table ? h->table->f : stdout;
}

static void end_cell(struct out_table *t)
{
	if (t->at)
		t->at->end = ftello(t->f);
	t->at = NULL;
}

static bool new_row(struct out_table *t)
{
	size_t room = t->room + ROWS_MORE;
	struct cell *cells = t->cells;

	if (t->rows == t->room) {
		cells = reallocarray(t->cells, room * t->n, sizeof(*cells));
		if (!cells)
			return false;
		t->cells = cells;
		t->room = room;
	}
	memset(&cells[t->rows++ * t->n], 0, t->n * sizeof(*cells));
	return true;
}

void out_cell(struct hcctl *h, unsigned int i)
{
	struct out_table *t = h->table;

	if (!t)
		return;
	end_cell(t);
	if (!i && !new_row(t))
		t->lost = true;
	if (t->lost)
		return;
	t->at = &t->cells[(t->rows - 1) * t->n + i];
	t->at->begin = ftello(t->f);
}

/* --- printing --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n';
}

/* Return: the text of a cell without blanks around it. */
static const char *cell_text(const struct out_table *t, const struct cell *c, int *len)
{
	const char *text = t->text + c->begin;
	size_t n = c->end - c->begin;

	for (; n && is_blank(*text); n--)
		text++;
	while (n && is_blank(text[n - 1]))
		n--;
	*len = n ? n : 1;
	return n ? text : "-";
}

/* Return: the width of a text in characters. Color sequences do not count, and each UTF-8 character
 * counts once.
 */
static int visible(const char *text, int len)
{
	int n = 0, i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\033')
			while (i < len && text[i] != 'm')
				i++;
		else if ((text[i] & 0xc0) != 0x80)
			n++;
	}
	return n;
}

static void print_cell(const struct out_table *t, unsigned int i, int width, const char *text,
		       int len)
{
	int pad = width - visible(text, len);
	bool last = i + 1 == t->n, right = t->columns[i].right;

	printf("%*s%.*s%*s%s", right ? pad : 0, "", len, text, right || last ? 0 : pad, "",
	       last ? "\n" : "  ");
}

static void print_table(const struct out_table *t, int *width)
{
	const char *text;
	unsigned int i;
	size_t r;
	int len;

	for (i = 0; i < t->n; i++) {
		width[i] = strlen(t->columns[i].name);
		for (r = 0; r < t->rows; r++) {
			text = cell_text(t, &t->cells[r * t->n + i], &len);
			len = visible(text, len);
			width[i] = len > width[i] ? len : width[i];
		}
	}
	for (i = 0; i < t->n; i++)
		print_cell(t, i, width[i], t->columns[i].name, strlen(t->columns[i].name));
	for (r = 0; r < t->rows; r++)
		for (i = 0; i < t->n; i++) {
			text = cell_text(t, &t->cells[r * t->n + i], &len);
			print_cell(t, i, width[i], text, len);
		}
}

void out_number(struct hcctl *h, unsigned int i, const char *key, uint64_t v)
{
	out_cell(h, i);
	out_uint(h, key, "%" PRIu64, v);
}

void out_table_end(struct hcctl *h)
{
	struct out_table *t = h->table;
	int *width;

	if (!t)
		return;
	end_cell(t);
	h->table = NULL;
	width = calloc(t->n, sizeof(*width));
	if (fclose(t->f) || !width || t->lost)
		hc_nomem(h);
	else if (t->rows)
		print_table(t, width);
	hc_free_all(width, t->text, t->cells, t);
}
