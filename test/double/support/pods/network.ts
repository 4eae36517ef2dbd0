import { Holder } from "./holder";

const net = ["--net"];

/** A network of pods, apart from the machine's: a bridge in a network namespace of its own. */
export class PodNetwork {
    private links = 0;

    private constructor(private readonly hub: Holder) {}

    static async create(): Promise<PodNetwork> {
        const hub = await Holder.create("--net");
        await hub.run(net, ["ip link add pods type bridge", "ip link set pods up"]);
        return new PodNetwork(hub);
    }

    /** What the containers of a pod share: an address and a host name. */
    async join(hostname: string, rank: number): Promise<Holder> {
        const pod = await Holder.create("--net", "--uts");
        const link = `pod${this.links++}`;
        await this.hub.run(net, [
            `ip link add ${link} type veth peer name eth0 netns ${pod.pid}`,
            `ip link set ${link} master pods up`,
        ]);
        const hardware = [rank >> 8, rank & 255].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
        await pod.run(
            [...net, "--uts"],
            [
                `echo ${hostname} >/proc/sys/kernel/hostname`,
                "ip link set lo up",
                // The same for the next pod of the rank: the others remember whom an address belongs to.
                `ip link set eth0 address 02:00:00:00:${hardware}`,
                `ip address add ${addressOf(rank)}/16 dev eth0`,
                "ip link set eth0 up",
            ],
        );
        return pod;
    }

    remove(): Promise<void> {
        return this.hub.remove();
    }
}

/** A rank's address. That of rank 0 is its Service's too. */
export const addressOf = (rank: number): string => `10.200.${rank >> 8}.${(rank & 255) + 1}`;
