/* Metrics of a measure. */
#pragma once

#include "profile/profile.h"

/* Works out a metric; `metric` is an index of hx_metric_at. */
hx_metric_value metrics_value(size_t metric, const struct measure *measure);
/* The index of a metric that a user named. HX_INVALID with a suggestion. */
HX_MUST_CHECK hx_status metrics_find(const char *name, hx_diag *diag, uint32_t *ret_metric);
