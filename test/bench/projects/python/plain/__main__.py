import pulumi
from pulumi_kubernetes.batch.v1 import Job
from pulumi_kubernetes.core.v1 import ConfigMap, Secret, Service

objects = pulumi.Config().require_object("objects")

Service("lead", metadata=objects["lead"]["metadata"], spec=objects["lead"]["spec"])
Service("headless", metadata=objects["headless"]["metadata"], spec=objects["headless"]["spec"])
ConfigMap("config", metadata=objects["configMap"]["metadata"], data=objects["configMap"]["data"])
Secret("secret", metadata=objects["secret"]["metadata"], string_data=objects["secret"]["stringData"])
Job("job", metadata=objects["job"]["metadata"], spec=objects["job"]["spec"])
