import assert from "node:assert/strict";

import { Keygen } from "flux-minicluster";

import { noFluxImage } from "../../scripts/local/images";
import { ChangingCluster } from "../e2e/support/changing";
import { to, useFaultProxy } from "../e2e/support/faultProxy";
import { importTestImage } from "../e2e/support/images";
import { interruptAt, outcome, recover, runningPulumi } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { send } from "../../scripts/local/processes";
import { until } from "../e2e/support/until";

describe("keygen pod", () => {
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);
    before(() => importTestImage(noFluxImage));

    const make = (name: string, args: ChangingCluster["args"] = {}) =>
        new ChangingCluster(namespace, name, { keygen: Keygen.Pod, timeouts: { imagePull: 1 }, ...args });

    /** The keygen pod of a cluster. */
    async function pod(name: string) {
        const { items } = await namespace.kube.core.listNamespacedPod({
            namespace: namespace.name,
            fieldSelector: `metadata.name=${name}-keygen`,
        });
        return items[0];
    }

    /** The number of requests that created a pod so far. */
    const podsMade = () => proxy().requests.filter(to("POST", "pods")).length;

    it("causes a warning at preview, because log collectors may keep the key", async () => {
        const { warnings } = await make("warned").preview();
        assert(
            warnings.some((text) => /warned-keygen: keygen "pod" prints the key to the log of a pod/.test(text)),
            warnings.join("\n"),
        );
    });

    it("is created for each key and removed afterwards", async () => {
        const cluster = make("made");
        const before = podsMade();
        await cluster.stack.up();
        assert.equal(podsMade(), before + 1);
        assert.equal(await pod("made"), undefined);
        cluster.set({ rotate: "2" });
        await cluster.stack.up();
        assert.equal(podsMade(), before + 2);
        assert.equal(await pod("made"), undefined);
    });

    const failures: [string, ChangingCluster["args"], RegExp][] = [
        [
            "the image lacks flux",
            { image: noFluxImage },
            /No key was made: fails0-keygen can't start: the image has no flux on PATH/,
        ],
        [
            "the image is missing",
            { image: "localhost/none:1", imagePullPolicy: "IfNotPresent" },
            /No key was made: fails1-keygen does not start: (ErrImagePull|ImagePullBackOff)/,
        ],
    ];
    for (const [index, [what, args, expected]] of failures.entries()) {
        it(`is removed, and the update names the cause, if ${what}`, async () => {
            const { text } = await make(`fails${index}`, args).stack.fails("up");
            assert.match(text, expected);
            assert.equal(await pod(`fails${index}`), undefined);
        });
    }

    it("is removed after a Ctrl-C", async () => {
        const cluster = make("stopped", { nodeSelector: { no: "node" } });
        const ending = outcome(cluster.stack, "up");
        await until("the pod exists", () => pod("stopped"));
        send((await runningPulumi(cluster.stack)).cli.pid, "SIGINT");
        assert.equal((await ending).succeeded, false);
        assert.equal(await pod("stopped"), undefined);
        cluster.set({ nodeSelector: {} });
        await cluster.stack.up();
    });

    it("is adopted by the next update after kill -9 of CLI and plugin host", async () => {
        const cluster = make("killed");
        const before = podsMade();
        await interruptAt(cluster.stack, "up", proxy().hold(to("POST", "pods"), "answer"), "kill -9 of both");
        const uid = (await pod("killed"))?.metadata?.uid;
        assert(uid !== undefined);
        const { succeeded, text } = await recover(cluster.stack, "up");
        assert(succeeded, text);
        assert.equal(podsMade(), before + 1);
        assert.equal(await pod("killed"), undefined);
    });
});

describe("key of a MiniCluster", () => {
    const namespace = useNamespace();

    for (const keygen of Object.values(Keygen)) {
        it(`changes only with rotate (keygen ${keygen})`, async () => {
            const cluster = new ChangingCluster(namespace, `rotated-${keygen.toLowerCase()}`, { keygen });
            await cluster.stack.up();
            const [first, uid] = [await certificate(cluster.name), await cluster.uid()];
            await cluster.stack.refresh(true);
            await cluster.stack.up(true);
            assert.equal(await certificate(cluster.name), first);
            cluster.set({ rotate: "2" });
            await cluster.stack.up();
            assert.notEqual(await certificate(cluster.name), first);
            assert.notEqual(await cluster.uid(), uid);
        });
    }

    /** The one certificate in the Secrets of a cluster. */
    async function certificate(name: string): Promise<string> {
        const { items } = await namespace.kube.core.listNamespacedSecret({ namespace: namespace.name });
        const own = items.filter(({ metadata }) => metadata?.name?.startsWith(`${name}-`));
        const found = own.flatMap(({ data }) => data?.["curve.cert"] ?? []);
        assert.equal(found.length, 1);
        return found[0];
    }
});
