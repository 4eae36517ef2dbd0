import { describeKills } from "./support/pods/kills";

describeKills(3);
