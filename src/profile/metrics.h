/* Metrics of a measure. */
#pragma once

#include "profile/profile.h"

/* Works out a metric; `metric` is an index of hx_metric_at. */
hx_metric_value metrics_value(size_t metric, const struct measure *measure);
