import { Holder } from "./holder";

const net = ["--net"];

/** A network of pods, separate from the machine's: a bridge in its own network namespace. */
export class PodNetwork {
    private links = 0;

    private constructor(private readonly hub: Holder) {}

    static async create(): Promise<PodNetwork> {
        const hub = await Holder.create("--net");
        await hub.run(net, ["ip link add pods type bridge", "ip link set pods up"]);
        return new PodNetwork(hub);
    }

    /** Makes the namespaces with a pod's address and host name, which its containers share. */
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
                // The rank's next pod has the same hardware address, because the other pods cache it.
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

/** A rank's address. The lead's address is also that of the Service. */
export const addressOf = (rank: number): string => `10.200.${rank >> 8}.${(rank & 255) + 1}`;
