import { describeKills } from "../double/support/pods/kills";

/* Many histories of test/double/podKills.spec.ts, without a Kubernetes. */

describeKills(200);
