import pulumi
from pulumi_postgres_compute import ComputeEndpoint

config = pulumi.Config()

endpoint = ComputeEndpoint(
    "app",
    project_id=config.require("projectId"),
    branch_id=config.require("branchId"),
    type="read_write",
    autoscaling_limit_min_cu=0.25,
    autoscaling_limit_max_cu=config.get_float("maxCu", 1),
    suspend_timeout_seconds=config.get_int("suspendTimeoutSeconds", 300),
    # A branch has one read_write endpoint; a forced replacement must delete the old one first.
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

pulumi.export("host", endpoint.host)
pulumi.export("poolerHost", endpoint.pooler_host)
