// SPDX-License-Identifier: GPL-2.0
/*
 * Makes trace.h define the tracepoints.
 */
#include "coll/plan.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
