import { validateClients } from "../../rules/clients";
import { validateServerPort } from "../../rules/port";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { Network } from "../network";

/** A duration as Prometheus writes it: https://prometheus.io/docs/prometheus/latest/querying/basics/#time-durations */
const DURATION = /^(?=.)(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/;

/** Checks the arguments of the metrics. */
export function validateMetrics({ broker, metrics, network, networkPolicy, restful }: MiniClusterSpec): Problem[] {
    if (metrics === undefined) {
        return [];
    }
    const others = { "broker.port": broker.port, "restful.port": restful?.port };
    return [
        ...validateServerPort("metrics.port", metrics.port, others, network === Network.Hosts),
        ...validateClients("metrics.clients", metrics.clients ?? [], networkPolicy),
        ...validateInterval(metrics.podMonitor?.interval),
    ];
}

function validateInterval(interval = "1m"): Problem[] {
    const reason = `is "${interval}", which is no duration of Prometheus. Write it like "30s".`;
    return DURATION.test(interval) ? [] : [{ property: "metrics.podMonitor.interval", reason }];
}
