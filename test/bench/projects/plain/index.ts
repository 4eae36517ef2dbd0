import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

const { configMap, headless, job, lead, secret } = new pulumi.Config().requireObject<Record<string, object>>("objects");
const { ConfigMap, Secret, Service } = kubernetes.core.v1;

new Service("lead", lead);
new Service("headless", headless);
new ConfigMap("config", configMap);
new Secret("secret", secret);
new kubernetes.batch.v1.Job("job", job);
