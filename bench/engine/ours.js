exports.Kind = require('pulumi-postgres-compute').ComputeEndpoint;
