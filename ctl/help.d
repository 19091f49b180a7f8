help: help.c help.h hcctl.h /work/wt/trunk/uapi/linux/hypercube.h \
 /work/wt/trunk/module/lib/hc_topo.h /work/wt/trunk/module/lib/hc_env.h \
 /work/wt/trunk/ctl/libhypercube/libhypercube.h
help.h:
hcctl.h:
/work/wt/trunk/uapi/linux/hypercube.h:
/work/wt/trunk/module/lib/hc_topo.h:
/work/wt/trunk/module/lib/hc_env.h:
/work/wt/trunk/ctl/libhypercube/libhypercube.h:
