import pulumi
from pulumi_postgres_compute import ComputeEndpoint

config = pulumi.Config()

endpoint = ComputeEndpoint(
    "app",
    project_id=config.require("projectId"),
    branch_id=config.require("branchId"),
    type="read_write",
    adopt=True,  # takes over the branch's endpoint, if it has one
    autoscaling_limit_min_cu=0.25,
    autoscaling_limit_max_cu=1,
    opts=pulumi.ResourceOptions(delete_before_replace=True),
)

pulumi.export("host", endpoint.host)
